/* SPDX-License-Identifier: MIT */
/* location.h - a source location. */
#ifndef WCM_TOOL_LOCATION_H
#define WCM_TOOL_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a line table says of a source file besides its name, or zero. */
struct source_facts {
	const uint8_t *md5;   /* of its bytes, 16 of them (DWARF 5) */
	const char *embedded; /* all of its text */
	size_t size;
};

/* Strings are NULL, numbers 0, where unknown. */
struct location {
	const char *function; /* the linker's (mangled) name if known, else as in the source */
	const char *file;     /* absolute, where the compiler's folder is known */
	struct source_facts facts; /* of FILE */
	int64_t made; /* when the program was, in seconds since 1970 */
	unsigned line, column;
	bool inlined;     /* into the next location, whose line is the call's */
	uint64_t offset;  /* from the symbol, where there is no file: no debug data */
};

/* Innermost first; grown as needed. */
struct locations {
	struct location *location;
	size_t count, room;
};

/* Add an empty one; NULL when out of memory. */
struct location *locations_add(struct locations *locations);
void locations_free(struct locations *locations);

#endif
