/* SPDX-License-Identifier: MIT */
/* unit.c - finds the compilation unit of an address and what it says.
 *
 * Two steps: which compilation unit has the address, then what the unit says.  For
 * the first, .debug_aranges is quick and touches nothing else; what is not there
 * may still be in a unit of a compiler that does not write it, so that all units
 * are asked for their ranges then, once.
 */
#include "debug/unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/inlines.h"
#include "debug/line_table.h"
#include "debug/split.h"
#include "modules/debug_bytes.h"

struct unit {
	Dwarf_Off offset;
	struct line_table *lines;
	struct functions *functions;
	bool mangled;
};

struct units {
	Dwarf *dwarf;
	const struct spans *text;
	struct spans quick; /* .debug_aranges; by the complement of the offset */
	struct spans slow;  /* of the units that are not there */
	bool slow_read;
	Dwarf_Off *listed;  /* the units of quick, sorted */
	size_t listed_count;
	struct unit **unit; /* those in use, sorted by offset */
	size_t count, room;
	struct split_home *home;
	char *missing; /* of split debug data, the first */
	size_t rows, ranges; /* how many more may be read, for all units */
	bool mangled; /* of the last address found */
};

/* Where units overlap, as copies of one inline function do, the first is it: the
 * linker keeps the first copy.  The greatest value wins in a span. */
static bool add_range(struct units *units, struct spans *spans, Dwarf_Addr low,
		      Dwarf_Addr high, Dwarf_Off offset)
{
	return !spans_find(units->text, low) ||
	       spans_add(spans, low, high, ~offset);
}

static int by_value(const void *left, const void *right)
{
	const Dwarf_Off *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void read_aranges(struct units *units)
{
	Dwarf_Aranges *aranges;
	Dwarf_Off last = 0;
	size_t count;

	if (dwarf_getaranges(units->dwarf, &aranges, &count) != 0 || count == 0)
		return;
	units->listed = calloc(count, sizeof(*units->listed));
	for (size_t i = 0; units->listed && i < count; i++) {
		Dwarf_Addr low = 0;
		Dwarf_Word length = 0;
		Dwarf_Off offset = 0;

		dwarf_getarangeinfo(dwarf_onearange(aranges, i), &low, &length,
				    &offset);
		if (!add_range(units, &units->quick, low, low + length, offset))
			break;
		if (i == 0 || offset != last)
			units->listed[units->listed_count++] = offset;
		last = offset;
	}
	if (units->listed)
		qsort(units->listed, units->listed_count,
		      sizeof(*units->listed), by_value);
	if (!spans_settle(&units->quick))
		units->listed_count = 0;
}

static void read_unit_ranges(struct units *units, Dwarf_Die *die)
{
	Dwarf_Off offset = dwarf_dieoffset(die);
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (units->listed_count > 0 &&
	    bsearch(&offset, units->listed, units->listed_count,
		    sizeof(offset), by_value))
		return;
	while (units->ranges > 0 &&
	       (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		units->ranges--;
		if (!add_range(units, &units->slow, low, high, offset))
			return;
	}
}

static void read_all_ranges(struct units *units)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	units->slow_read = true;
	while (dwarf_get_units(units->dwarf, unit, &unit, NULL, &type, &die,
			       NULL) == 0) {
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			read_unit_ranges(units, &die);
	}
	spans_settle(&units->slow);
}

/* Units may claim each other's tables, and each function the ranges of all: what is read
 * of a file is in proportion to it, or as much as no program has. */
static void limit(struct units *units)
{
	enum { MOST_RANGES = 1 << 25, LEAST_ROWS = 1 << 16 };
	const struct debug_bytes lines = debug_section(units->dwarf, "line");

	units->ranges = MOST_RANGES;
	units->rows = 2 * debug_left(&lines) + LEAST_ROWS; /* a byte makes one at most */
}

struct units *units_new(Dwarf *dwarf, const struct spans *text, struct split_home *home)
{
	struct units *units = calloc(1, sizeof(*units));

	if (!units)
		return NULL;
	units->dwarf = dwarf;
	units->text = text;
	units->home = home;
	limit(units);
	read_aranges(units);
	return units;
}

void units_free(struct units *units)
{
	if (!units)
		return;
	for (size_t i = 0; i < units->count; i++) {
		functions_free(units->unit[i]->functions);
		line_table_free(units->unit[i]->lines);
		free(units->unit[i]);
	}
	free(units->unit);
	free(units->missing);
	free(units->listed);
	spans_free(&units->quick);
	spans_free(&units->slow);
	free(units);
}

static bool is_mangled(Dwarf_Die *die)
{
	switch (dwarf_srclang(die)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* The folder that the compiler worked in, or NULL.  One longer than a path may be is none: each
 * file's name could hold it. */
static const char *folder_of(Dwarf_Die *die)
{
	enum { LONGEST = 4096 };
	Dwarf_Attribute attribute;
	const char *folder = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute));

	return folder && *folder && strnlen(folder, LONGEST) < LONGEST ? folder : NULL;
}

/* The unit's line table is in the program, its functions perhaps in another file; the folder
 * that it was compiled in is in either. */
static void open_unit(struct units *units, struct unit *unit)
{
	Dwarf_Die first, die;
	const char *folder;
	char *missing;
	bool is_split;
	uint8_t type;

	if (!dwarf_offdie(units->dwarf, unit->offset, &first) ||
	    dwarf_cu_info(first.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0)
		return;
	die = first;
	is_split = split_open(&die, units->home, &missing);
	folder = folder_of(&first) ? folder_of(&first) : folder_of(&die);
	unit->lines = line_table_read(&first, folder, units->text, &units->rows);
	if (units->missing)
		free(missing);
	else
		units->missing = missing;
	unit->mangled = is_mangled(&die);
	unit->functions = functions_read(&die, folder, is_split ? NULL : unit->lines,
					 units->text, &units->ranges);
}

/* Where the unit at OFFSET is or belongs among those in use. */
static size_t index_of(const struct units *units, Dwarf_Off offset)
{
	size_t low = 0, high = units->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (units->unit[middle]->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct unit *unit_at(struct units *units, Dwarf_Off offset)
{
	size_t at = index_of(units, offset);
	struct unit *unit, **grown;

	if (at < units->count && units->unit[at]->offset == offset)
		return units->unit[at];
	grown = grow(units->unit, units->count, &units->room, sizeof(*grown));
	if (!grown)
		return NULL;
	units->unit = grown;
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return NULL;
	memmove(&units->unit[at + 1], &units->unit[at],
		(units->count++ - at) * sizeof(*units->unit));
	units->unit[at] = unit;
	unit->offset = offset;
	open_unit(units, unit);
	return unit;
}

static struct unit *unit_of(struct units *units, uint64_t address)
{
	const struct span *span = spans_find(&units->quick, address);

	if (!span) {
		if (!units->slow_read)
			read_all_ranges(units);
		span = spans_find(&units->slow, address);
	}
	return span ? unit_at(units, ~span->value) : NULL;
}

bool units_find(struct units *units, uint64_t address, struct locations *locations)
{
	struct unit *unit = unit_of(units, address);
	struct location where = { 0 }, *location;
	bool has_line;

	if (!unit)
		return false;
	units->mangled = unit->mangled;
	has_line = unit->lines && line_table_find(unit->lines, address, &where);
	if (unit->functions &&
	    functions_find(unit->functions, address, &where, locations))
		return true;
	if (!has_line)
		return false;
	location = locations_add(locations);
	if (location)
		*location = where;
	return location != NULL;
}

bool units_mangled(const struct units *units)
{
	return units->mangled;
}

const char *units_missing(const struct units *units)
{
	return units->missing;
}
