/* SPDX-License-Identifier: MIT */
/* inlines.c - finds the functions at an address, one inlined into the next.
 *
 * The functions of a unit are found by one pass over its entries, what is inlined
 * into one of them by a pass over what is below it, when it is first asked for.
 * Where ranges overlap, the later entry has the address, so that of nested ones
 * the inner has it.
 */
#include "debug/inlines.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/entries.h"

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

struct functions *functions_read(const Dwarf_Die *unit, const char *folder,
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

void functions_free(struct functions *functions)
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

bool functions_find(struct functions *functions, uint64_t address,
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
