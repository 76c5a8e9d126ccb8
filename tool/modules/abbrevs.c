/* SPDX-License-Identifier: MIT */
/* abbrevs.c - refuses debug data whose abbreviations are out of proportion to it.
 *
 * Compilers write a table a unit; dwz and linkers have a few share one.
 */
#include "modules/abbrevs.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/grow.h"
#include "modules/debug_bytes.h"

/* Where the tables of all units are. */
struct tables {
	Dwarf_Off *at;
	size_t count, room;
};

static bool add_table(struct tables *tables, Dwarf_Off at)
{
	Dwarf_Off *grown = grow(tables->at, tables->count, &tables->room, sizeof(*grown));

	if (!grown)
		return false;
	tables->at = grown;
	grown[tables->count++] = at;
	return true;
}

/* Those of .debug_types, of before DWARF 5, or of .debug_info.  False when out of
 * memory. */
static bool add_tables(struct tables *tables, Dwarf *dwarf, bool types)
{
	Dwarf_Off unit = 0, next, at;
	uint64_t signature;
	Dwarf_Half version;
	size_t size;

	while (dwarf_next_unit(dwarf, unit, &next, &size, &version, &at, NULL, NULL,
			       types ? &signature : NULL, NULL) == 0) {
		if (!add_table(tables, at))
			return false;
		unit = next;
	}
	return true;
}

static int by_offset(const void *left, const void *right)
{
	const Dwarf_Off *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void skip_attributes(struct debug_bytes *bytes)
{
	uint64_t name, form;

	do {
		name = debug_uleb(bytes);
		form = debug_uleb(bytes);
		if (form == DW_FORM_implicit_const)
			debug_sleb(bytes);
	} while (name != 0 || form != 0);
}

/* How many bytes the table at AT of SECTION has, or MOST where it has more. */
static uint64_t size_of(struct debug_bytes section, Dwarf_Off at, uint64_t most)
{
	const uint8_t *start;

	if (!debug_skip(&section, at))
		return 0;
	if (debug_left(&section) > most)
		section.end = section.at + most;
	start = section.at;
	while (debug_uleb(&section) != 0) {
		debug_uleb(&section);
		debug_fixed(&section, 1);
		skip_attributes(&section);
	}
	return (uint64_t)(section.at - start);
}

/* Whether all that is read of TABLES, which are sorted, is less than MOST. */
static bool are_less(const struct tables *tables, struct debug_bytes section, uint64_t most)
{
	for (size_t i = 0, next; i < tables->count; i = next) {
		uint64_t size = size_of(section, tables->at[i], most);

		for (next = i; next < tables->count && tables->at[next] == tables->at[i];
		     next++) {
			if (size >= most)
				return false;
			most -= size;
		}
	}
	return true;
}

bool abbrevs_are_fit(Dwarf *dwarf)
{
	enum { RATIO = 16, LEAST = 1 << 22 };
	const struct debug_bytes section = debug_section(dwarf, "abbrev"),
				 info = debug_section(dwarf, "info"),
				 types = debug_section(dwarf, "types");
	const size_t bytes = debug_left(&section) + debug_left(&info) + debug_left(&types);
	struct tables tables = { 0 };
	bool fit = true;

	if (add_tables(&tables, dwarf, false) && add_tables(&tables, dwarf, true) &&
	    tables.count > 0) {
		qsort(tables.at, tables.count, sizeof(*tables.at), by_offset);
		fit = are_less(&tables, section, RATIO * (uint64_t)bytes + LEAST);
	}
	free(tables.at);
	return fit;
}
