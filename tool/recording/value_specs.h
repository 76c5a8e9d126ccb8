/* SPDX-License-Identifier: MIT */
/* value_specs.h - finds the kinds of a function's values by its name, in a recording's info.
 *
 * Lines of the file info say so, as the options -A and -R of uftrace do.
 */
#ifndef WCM_TOOL_VALUE_SPECS_H
#define WCM_TOOL_VALUE_SPECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/function_set.h"

struct enumeration;

struct value_spec {
	uint8_t place;   /* with NUMBER: which value it is, so that one that is specified again is
			  * known */
	bool is_exact;   /* its function was named, not matched */
	bool is_back;    /* it is given back */
	char format;     /* of uftrace's letters, 'd' where there is none */
	uint64_t number; /* of an argument, from 1; of a word of the stack; a register's, by name */
	uint16_t size;   /* bytes; of a string, none */
	const struct enumeration *names; /* of an 'e'; of a 't', its type's, alone; or NULL */
};

enum { VALUE_LENGTH = 2 }; /* bytes of a string's length, which is before it */

static inline bool value_spec_is_string(const struct value_spec *spec)
{
	return spec->format == 's' || spec->format == 'S';
}

/* The bytes that the value of SPEC AT takes, of which its length is there, if it is a string: each
 * is followed by the next at a multiple of 4. */
static inline size_t value_spec_room(const struct value_spec *spec, const unsigned char *at)
{
	const size_t size = value_spec_is_string(spec) ?
				    VALUE_LENGTH + (at[0] | (size_t)at[1] << 8) : spec->size;

	return (size + 3) & ~(size_t)3;
}

struct wcm_enumerations;

/* All that a call is given, or gives back. */
struct value_kinds {
	struct value_spec *spec;
	size_t count;
	const char *codes; /* as this library has recorded them; NULL: uftrace has */
	const struct wcm_enumerations *names; /* that the codes refer to */
};

struct value_specs;

/* NULL: no memory. */
struct value_specs *value_specs_new(enum name_style style);
void value_specs_free(struct value_specs *specs);

/* LINE is one of the file info, and maybe of these; it is changed. */
void value_specs_read(struct value_specs *specs, char *line);

/* The same of TEXT, "enum color {RED,GREEN=5}". */
void value_specs_enumerate(struct value_specs *specs, char *text);

/* Have KINDS, which are empty, be those that TEXT lists, "arg1/s,fparg1/64", of what is given, or
 * given BACK.  With one that is not known, uftrace passes over all of them: they stay empty. */
void value_specs_list(struct value_specs *specs, char *text, bool back,
		      struct value_kinds *kinds);

/* What is known of FUNCTION's calls: what these are given, or give BACK.  OTHERWISE, if that is not
 * NULL, counts where nobody has asked for its values by name.  NULL: nothing. */
const struct value_kinds *value_specs_find(struct value_specs *specs,
					   const struct function *function, bool back,
					   const struct value_kinds *otherwise);

const char *enumeration_name(const struct enumeration *names);

/* False: the recording has none of its values. */
bool enumeration_is_listed(const struct enumeration *names);

/* The name of VALUE, or those of the parts that it is the sum of, one after the other, the last of
 * the list first: *BEGIN, 0 at first, is where to go on.  NULL: there is no other, and *VALUE is
 * what has no name. */
const char *enumeration_next(const struct enumeration *names, int32_t *value, size_t *begin);

#endif
