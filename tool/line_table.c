/* SPDX-License-Identifier: MIT */
/* line_table.c - which line of the source is this address?
 *
 * The last row at or below it, in the order of the table where several have the same
 * address, unless that row ends a sequence.
 */
#include "line_table.h"

void line_table_read(struct line_table *table, Dwarf_Die *unit)
{
	if (dwarf_getsrclines(unit, &table->lines, &table->count) != 0)
		table->count = 0;
}

/* The first row above ADDRESS. */
static size_t row_above(const struct line_table *table, uint64_t address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr at = 0;

		dwarf_lineaddr(dwarf_onesrcline(table->lines, middle), &at);
		if (at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool line_table_find(const struct line_table *table, uint64_t address,
		     struct place *place)
{
	size_t above = row_above(table, address);
	Dwarf_Line *row;
	bool ends = true;
	int line = 0, column = 0;

	if (above == 0)
		return false;
	row = dwarf_onesrcline(table->lines, above - 1);
	if (dwarf_lineendsequence(row, &ends) != 0 || ends)
		return false;
	dwarf_lineno(row, &line);
	dwarf_linecol(row, &column);
	place->file = dwarf_linesrc(row, NULL, NULL);
	place->line = line > 0 ? (unsigned)line : 0;
	place->column = column > 0 ? (unsigned)column : 0;
	return true;
}
