/* SPDX-License-Identifier: MIT */
/* place.h - a place in the source. */
#ifndef WCM_TOOL_PLACE_H
#define WCM_TOOL_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strings are NULL, numbers 0, where unknown. */
struct place {
	const char *function; /* the linker's (mangled) name if known, else as in the source */
	const char *file;     /* absolute, where the compiler's folder is known */
	unsigned line, column;
	bool inlined;     /* into the next place, whose line is the call's */
	uint64_t offset;  /* from the symbol, where there is no file: no debug data */
};

/* Innermost first; grown as needed. */
struct places {
	struct place *place;
	size_t count, room;
};

/* Add an empty one; NULL when out of memory. */
struct place *places_add(struct places *places);
void places_free(struct places *places);

#endif
