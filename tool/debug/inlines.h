/* SPDX-License-Identifier: MIT */
/* inlines.h - finds the functions at an address, one inlined into the next. */
#ifndef WCM_TOOL_INLINES_H
#define WCM_TOOL_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "debug/line_table.h"
#include "debug/location.h"
#include "debug/span.h"

struct functions;

/* Those of the unit whose first entry is UNIT, compiled in FOLDER, or NULL.  LINES is its line
 * table, NULL if that is in another file.  TEXT, the addresses of code, lives as long as LINES
 * does.  *RANGES, which lives as long, counts down those that are read.  NULL when out of
 * memory, or where the unit cannot be read. */
struct functions *functions_read(const Dwarf_Die *unit, const char *folder,
				 struct line_table *lines,
				 const struct spans *text, size_t *ranges);
void functions_free(struct functions *functions);

/* Add the functions at ADDRESS to LOCATIONS, innermost first; WHERE has the line of the
 * address itself.  False, and nothing is added, where there is none. */
bool functions_find(struct functions *functions, uint64_t address,
		    const struct location *where, struct locations *locations);

#endif
