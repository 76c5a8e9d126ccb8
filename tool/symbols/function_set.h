/* SPDX-License-Identifier: MIT */
/* function_set.h - each function of a recording, once. */
#ifndef WCM_TOOL_FUNCTION_SET_H
#define WCM_TOOL_FUNCTION_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct module {
	char *path;
	char *build_id; /* in hexadecimal, or empty */
};

struct function {
	const char *name; /* as it is shown */
	const struct module *module; /* NULL: unknown */
	uint64_t offset;  /* where it starts, from the module's first mapping */
	size_t index;     /* counted from 0 */
	bool typed;       /* the name has its parameters */
	bool stub;        /* a linkage stub: the call of another module's function */
};

enum name_style { NAME_SHORT, NAME_FULL, NAME_MANGLED };

struct function_set {
	struct function **all;
	size_t count, room;
	struct numbers numbers; /* indices in ALL, by name and module */
	enum name_style style;
	bool lost; /* memory was out */
};

/* NAME, which the linker has, as functions are named in STYLE, the caller's to free; *TYPED: with
 * its parameters.  NULL: no memory. */
char *function_set_styled(enum name_style style, const char *name, bool *typed);

void function_set_init(struct function_set *functions, enum name_style style);
void function_set_free(struct function_set *functions);

/* The function that the linker calls NAME in MODULE, which may be NULL.  Never NULL:
 * without memory it is one that stands for all that could not be told apart. */
const struct function *function_set_get(struct function_set *functions, const char *name,
				     const struct module *module,
				     uint64_t offset, bool stub);

/* The function at ADDRESS of no module. */
const struct function *function_set_unknown(struct function_set *functions,
					 uint64_t address);

#endif
