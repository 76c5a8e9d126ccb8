/* SPDX-License-Identifier: MIT */
/* unit.c - finds the compilation unit of an address and what it says.
 *
 * Two steps: which compilation unit has the address, then what the unit says.  For
 * the first, .debug_aranges is quick and touches nothing else; what is not there
 * may still be in a unit of a compiler that does not write it, so that all units
 * are asked for their ranges then, once.
 */
#include "debug/binary.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/entries.h"
#include "debug/location.h"
#include "debug/span.h"
#include "debug/split.h"
#include "modules/debug_bytes.h"

struct functions;

/* Finds the functions at an address, one inlined into the next.
 *
 * The functions of a unit are found by one pass over its entries, what is inlined
 * into one of them by a pass over what is below it, when it is first asked for.
 * Where ranges overlap, the later entry has the address, so that of nested ones
 * the inner has it. */

/* A function, or an inlined copy of one. */
struct scope {
	uint8_t *entry;
	const char *name; /* once it was asked for */
	bool named;
};

struct inlined {
	struct scope scope;
	size_t parent; /* an index, or NO_PARENT: the function itself */
	unsigned depth;
};

#define NO_PARENT SIZE_MAX

struct function {
	struct scope scope;
	bool opened;
	struct inlined *inlined; /* once opened */
	size_t count, room;
	struct spans spans; /* of inlined, by their index */
};

struct functions {
	Dwarf_Die unit;
	const char *folder;       /* it was compiled in, or NULL */
	struct line_table *lines; /* NULL: ask libdw for files */
	const struct spans *text;
	size_t *ranges; /* how many more may be read */
	struct function *function;
	size_t count, room;
	struct spans spans; /* of function, by their index */
	Dwarf_Files *files;
	size_t file_count;
	char **path; /* of files whose names of libdw's lack the folder, once asked for */
	bool files_read;
	char **scoped; /* names that are made here */
	size_t scoped_count, scoped_room;
};

static Dwarf_Die die_at(const struct functions *functions, uint8_t *entry)
{
	Dwarf_Die die = functions->unit;

	die.addr = entry;
	die.abbrev = NULL;
	return die;
}

static bool has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* Add the ranges of DIE.  What the linker threw away keeps its debug data, with
 * addresses where no code is. */
static bool add_ranges(const struct functions *functions, Dwarf_Die *die,
		       struct spans *spans, size_t value)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (*functions->ranges == 0)
			return false;
		--*functions->ranges;
		if (spans_find(functions->text, low) &&
		    !spans_add(spans, low, high, value))
			return false;
	}
	return true;
}

/* False when out of memory. */
static bool add_function(struct functions *functions, Dwarf_Die *die)
{
	struct function *grown = grow(functions->function, functions->count,
				      &functions->room, sizeof(*grown));

	if (!grown)
		return false;
	functions->function = grown;
	functions->function[functions->count] =
		(struct function){ .scope.entry = die->addr };
	return add_ranges(functions, die, &functions->spans, functions->count++);
}

/* Of damaged data what comes before the damage is used. */
static bool scan_functions(struct functions *functions)
{
	struct entries entries = { .die = functions->unit };

	while (entries_next(&entries, true))
		if (dwarf_tag(&entries.die) == DW_TAG_subprogram &&
		    has_code(&entries.die) && !add_function(functions, &entries.die))
			break;
	return spans_settle(&functions->spans);
}

static void functions_free(struct functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->count; i++) {
		free(functions->function[i].inlined);
		spans_free(&functions->function[i].spans);
	}
	for (size_t i = 0; i < functions->scoped_count; i++)
		free(functions->scoped[i]);
	free(functions->scoped);
	for (size_t i = 0; functions->path && i < functions->file_count; i++)
		free(functions->path[i]);
	free(functions->path);
	free(functions->function);
	spans_free(&functions->spans);
	free(functions);
}

/* Those of the unit whose first entry is UNIT, compiled in FOLDER, or NULL.  LINES is its line
 * table, NULL if that is in another file.  TEXT, the addresses of code, lives as long as LINES
 * does.  *RANGES, which lives as long, counts down those that are read.  NULL when out of
 * memory, or where the unit cannot be read. */
static struct functions *functions_read(const Dwarf_Die *unit, const char *folder,
					struct line_table *lines,
					const struct spans *text, size_t *ranges)
{
	struct functions *functions = calloc(1, sizeof(*functions));

	if (!functions)
		return NULL;
	functions->unit = *unit;
	functions->folder = folder;
	functions->lines = lines;
	functions->text = text;
	functions->ranges = ranges;
	if (scan_functions(functions))
		return functions;
	functions_free(functions);
	return NULL;
}

/* The one that was inlined which holds what is DEPTH deep, behind the one at LAST. */
static size_t parent_of(const struct function *function, size_t last, unsigned depth)
{
	while (last != NO_PARENT && function->inlined[last].depth >= depth)
		last = function->inlined[last].parent;
	return last;
}

/* False when out of memory. */
static bool add_inlined(struct functions *functions, struct function *function,
			struct entries *entries, size_t parent)
{
	struct inlined *grown = grow(function->inlined, function->count,
				     &function->room, sizeof(*grown));

	if (!grown)
		return false;
	function->inlined = grown;
	function->inlined[function->count] = (struct inlined){
		.scope.entry = entries->die.addr,
		.parent = parent,
		.depth = entries->depth,
	};
	return add_ranges(functions, &entries->die, &function->spans,
			  function->count++);
}

/* Find what is inlined into FUNCTION.  A function within it has its own. */
static void open_function(struct functions *functions, struct function *function)
{
	struct entries entries = { .die = die_at(functions, function->scope.entry) };
	size_t last = NO_PARENT;
	int tag = DW_TAG_invalid;

	function->opened = true;
	while (entries_next(&entries, tag != DW_TAG_subprogram)) {
		tag = dwarf_tag(&entries.die);
		last = parent_of(function, last, entries.depth);
		if (tag != DW_TAG_inlined_subroutine || !has_code(&entries.die))
			continue;
		if (!add_inlined(functions, function, &entries, last))
			break;
		last = function->count - 1;
	}
	spans_settle(&function->spans);
}

static bool is_fortran(const struct functions *functions)
{
	Dwarf_Die unit = functions->unit;

	switch (dwarf_srclang(&unit)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case 0x2d: /* DW_LANG_Fortran18, which older headers lack */
		return true;
	}
	return false;
}

/* The entry that DIE, of code, is made of: itself, or what declares it. */
static Dwarf_Die origin_of(Dwarf_Die die)
{
	enum { MOST = 4 };
	Dwarf_Attribute attribute;
	Dwarf_Die next;

	for (int i = 0; i < MOST; i++) {
		if (!dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attribute),
				       &next) &&
		    !dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &attribute),
				       &next))
			break;
		die = next;
	}
	return die;
}

/* The modules and functions that hold an entry, outermost first. */
struct holders {
	const char *name[8];
	unsigned depth[8], count;
};

static void add_holder(struct holders *holders, struct entries *entries)
{
	const int tag = dwarf_tag(&entries->die);
	const char *name = tag == DW_TAG_module || tag == DW_TAG_subprogram
				   ? dwarf_diename(&entries->die) : NULL;

	if (!name || holders->count == sizeof(holders->depth) / sizeof(*holders->depth))
		return;
	holders->depth[holders->count] = entries->depth;
	holders->name[holders->count++] = name;
}

static bool find_holders(const struct functions *functions, const Dwarf_Die *die,
			 struct holders *holders)
{
	struct entries entries = { .die = functions->unit };

	for (holders->count = 0; entries_next(&entries, true); add_holder(holders, &entries)) {
		while (holders->count > 0 && holders->depth[holders->count - 1] >= entries.depth)
			holders->count--;
		if (entries.die.addr == die->addr)
			return true;
	}
	return false;
}

/* As gdb has it, in functions' memory: MODULE::PROCEDURE, PROGRAM::CONTAINED.  NULL: unknown. */
static const char *scoped_name(struct functions *functions, const struct scope *scope)
{
	Dwarf_Die die = origin_of(die_at(functions, scope->entry));
	const char *own = dwarf_diename(&die);
	char **grown = own ? grow(functions->scoped, functions->scoped_count,
				  &functions->scoped_room, sizeof(*grown)) : NULL;
	struct holders holders;
	size_t size = own ? strlen(own) + 1 : 0;
	char *name, *to;

	if (!grown)
		return NULL;
	functions->scoped = grown;
	if (!find_holders(functions, &die, &holders))
		return NULL;
	for (unsigned i = 0; i < holders.count; i++)
		size += strlen(holders.name[i]) + 2;
	name = to = malloc(size);
	if (!name)
		return NULL;
	for (unsigned i = 0; i < holders.count; i++)
		to = stpcpy(stpcpy(to, holders.name[i]), "::");
	strcpy(to, own);
	return grown[functions->scoped_count++] = name;
}

/* The linker's name if there is one, or the source's. */
static const char *name_of(struct functions *functions, struct scope *scope)
{
	static const unsigned kinds[] = { DW_AT_linkage_name,
					  DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Die die = die_at(functions, scope->entry);

	if (!scope->named && is_fortran(functions)) {
		scope->name = scoped_name(functions, scope);
		scope->named = scope->name != NULL;
	}
	for (size_t i = 0; !scope->named && i < 3; i++) {
		Dwarf_Attribute attribute;

		scope->name = dwarf_formstring(
			dwarf_attr_integrate(&die, kinds[i], &attribute));
		scope->named = scope->name != NULL;
	}
	scope->named = true;
	return scope->name;
}

static unsigned number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0)
		return 0;
	return (unsigned)value;
}

static void read_files(struct functions *functions)
{
	functions->files_read = true;
	if (dwarf_getsrcfiles(&functions->unit, &functions->files, &functions->file_count) != 0)
		functions->file_count = 0;
	functions->path = calloc(functions->file_count, sizeof(*functions->path));
}

/* Whether libdw has not put the folder in front of NAME: it does not know it where the unit's
 * other half is in a file of its own. */
static bool lacks_folder(const char *folder, const char *name)
{
	const size_t length = folder ? strlen(folder) : 0;

	return folder && *name != '/' &&
	       (strncmp(name, folder, length) != 0 || name[length] != '/');
}

/* The file of the number INDEX, as libdw has it. */
static const char *file_of(struct functions *functions, Dwarf_Word index)
{
	const char *name;
	char **path;

	if (!functions->files_read)
		read_files(functions);
	name = index < functions->file_count ?
		       dwarf_filesrc(functions->files, index, NULL, NULL) :
		       NULL;
	if (!name || !functions->path || !lacks_folder(functions->folder, name))
		return name;
	path = &functions->path[index];
	if (!*path && asprintf(path, "%s/%s", functions->folder, name) < 0)
		*path = NULL;
	return *path;
}

/* The source location of the call of what was inlined at SCOPE. */
static struct location call_of(struct functions *functions,
			       const struct scope *scope)
{
	Dwarf_Die die = die_at(functions, scope->entry);
	Dwarf_Attribute attribute;
	struct location location = { 0 };
	Dwarf_Word file;

	if (dwarf_formudata(dwarf_attr(&die, DW_AT_call_file, &attribute),
			    &file) == 0) {
		if (functions->lines)
			line_table_file(functions->lines, file, &location);
		else
			location.file = file_of(functions, file);
	}
	location.line = number(&die, DW_AT_call_line);
	location.column = number(&die, DW_AT_call_column);
	return location;
}

static void add_location(struct locations *locations, const struct location *where,
			 const char *name, bool inlined)
{
	struct location *location = locations_add(locations);

	if (!location)
		return;
	*location = *where;
	location->function = name;
	location->inlined = inlined;
}

/* Add the functions at ADDRESS to LOCATIONS, innermost first; WHERE has the line of the
 * address itself.  False, and nothing is added, where there is none. */
static bool functions_find(struct functions *functions, uint64_t address,
			   const struct location *where, struct locations *locations)
{
	/* More than compilers inline: each address could have them all. */
	enum { DEEPEST = 1000 };
	const struct span *span = spans_find(&functions->spans, address);
	struct location location = *where;
	struct function *function;
	size_t at;

	if (!span)
		return false;
	function = &functions->function[span->value];
	if (!function->opened)
		open_function(functions, function);
	span = spans_find(&function->spans, address);
	at = span ? span->value : NO_PARENT;
	while (at != NO_PARENT && locations->count < DEEPEST) {
		struct inlined *one = &function->inlined[at];

		add_location(locations, &location, name_of(functions, &one->scope),
			     true);
		location = call_of(functions, &one->scope);
		at = one->parent;
	}
	add_location(locations, &location, name_of(functions, &function->scope), false);
	return true;
}

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
