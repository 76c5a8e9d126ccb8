/* SPDX-License-Identifier: MIT */
/* type_fields.h - of which words a struct consists that is handed over by value. */
#ifndef WCM_TOOL_TYPE_FIELDS_H
#define WCM_TOOL_TYPE_FIELDS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { FIELDS_WORD = 8, FIELDS_MOST = 2 * FIELDS_WORD };

struct type_fields {
	enum { WORD_EMPTY, WORD_FLOATING, WORD_INTEGER } word[2];
	unsigned alignment; /* of all, in bytes */
	unsigned count;     /* of what is no struct itself */
	bool in_memory;     /* not in registers */
	bool is_extended;   /* there is a long double in it */
	bool is_unknown;    /* there is something in it that nothing is known of */
};

/* Of TYPE, of SIZE bytes, a struct, class or union. */
struct type_fields type_fields_of(Dwarf_Die *type, uint64_t size);

/* Whether TYPE, such a one, cannot be copied byte by byte, so that its address is handed over. */
bool type_goes_by_address(Dwarf_Die *type);

/* What ENTRY has for the attribute NAME; OTHERWISE where that is no number, or missing. */
uint64_t type_number(Dwarf_Die *entry, unsigned name, uint64_t otherwise);

/* Have TYPE be that of ENTRY, without names and qualifiers of it; *NAME, which may be NULL, the
 * innermost of these names.  False: it is void, or cannot be read. */
bool type_of(Dwarf_Die *entry, Dwarf_Die *type, const char **name);

#endif
