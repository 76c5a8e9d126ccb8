/* SPDX-License-Identifier: MIT */
/* line_table.h - which line of the source is this address? */
#ifndef WCM_TOOL_LINE_TABLE_H
#define WCM_TOOL_LINE_TABLE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"

/* Zeroed: not read yet. */
struct line_table {
	Dwarf_Lines *lines;
	size_t count;
};

/* That of the unit whose first entry is UNIT; empty where there is none. */
void line_table_read(struct line_table *table, Dwarf_Die *unit);

/* Fill in PLACE's file, line and column.  False where no row holds ADDRESS. */
bool line_table_find(const struct line_table *table, uint64_t address,
		     struct place *place);

#endif
