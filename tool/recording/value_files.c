/* SPDX-License-Identifier: MIT */
/* value_files.c - of what kinds the values are that a recording has of functions at addresses.
 *
 * What debug data says of a module is in a file beside that of its symbols, named likewise:
 *
 *	E: enum color {RED,GREEN=5}
 *	F: 1136 mix
 *	A: @arg1/e:color,fparg1/64
 *	R: @retval
 */
#include "recording/value_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* A function of a file. */
struct located {
	uint64_t offset;
	struct value_kinds kinds[2]; /* what is given, and what is given back */
};

struct value_file_of {
	const struct module *module;
	struct value_specs *specs; /* has its enumerations */
	struct located *function;
	size_t count, room;
};

static int by_module(const void *left, const void *right)
{
	const struct value_file_of *a = left, *b = right;

	return (a->module > b->module) - (a->module < b->module);
}

static int by_offset(const void *left, const void *right)
{
	const struct located *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

static void begin_function(struct value_file_of *file, const char *text)
{
	struct located *grown = grow(file->function, file->count, &file->room, sizeof(*grown));

	if (!grown)
		return;
	file->function = grown;
	grown[file->count++] = (struct located){ .offset = strtoull(text, NULL, 16) };
}

/* What is said of the function before. */
static void add_values(struct value_file_of *file, char *text, bool back)
{
	struct value_kinds *kinds = file->count > 0 ?
					    &file->function[file->count - 1].kinds[back] : NULL;

	if (kinds && kinds->count == 0 && *text == '@')
		value_specs_list(file->specs, text + 1, back, kinds);
}

static void read_line(struct value_file_of *file, char *line)
{
	if (strncmp(line, "E: ", 3) == 0)
		value_specs_enumerate(file->specs, line + 3);
	else if (strncmp(line, "F: ", 3) == 0)
		begin_function(file, line + 3);
	else if (strncmp(line, "A: ", 3) == 0 || strncmp(line, "R: ", 3) == 0)
		add_values(file, line + 3, *line == 'R');
}

static void read_file(struct value_file_of *file, struct modules *modules)
{
	char *text = sym_store_text(&modules->tables, modules->dir, file->module->path,
				    file->module->build_id), *rest = text, *line;

	while (file->specs && (line = strsep(&rest, "\n")))
		read_line(file, line);
	free(text);
	if (file->count > 0)
		qsort(file->function, file->count, sizeof(*file->function), by_offset);
}

static void free_file(struct value_file_of *file)
{
	for (size_t i = 0; i < file->count; i++)
		for (int back = 0; back < 2; back++)
			free(file->function[i].kinds[back].spec);
	free(file->function);
	value_specs_free(file->specs);
	free(file);
}

/* NULL: no memory. */
static struct value_file_of *file_of(struct value_files *files, struct modules *modules,
				     const struct module *module)
{
	struct value_file_of key = { .module = module }, *file, **grown;

	files->by_module.compare = by_module;
	file = tree_find(&files->by_module, &key);
	if (file)
		return file;
	grown = grow(files->all, files->count, &files->room, sizeof(*grown));
	if (!grown)
		return NULL;
	files->all = grown;
	file = malloc(sizeof(*file));
	if (!file)
		return NULL;
	*file = key;
	if (!tree_add(&files->by_module, file)) {
		free(file);
		return NULL;
	}
	grown[files->count++] = file;
	file->specs = value_specs_new(NAME_SHORT);
	read_file(file, modules);
	return file;
}

const struct value_kinds *value_files_find(struct value_files *files, struct modules *modules,
					   const struct module *module, uint64_t offset, bool back)
{
	const struct value_file_of *file = file_of(files, modules, module);
	const struct located key = { .offset = offset }, *found;

	if (!file || file->count == 0)
		return NULL;
	found = bsearch(&key, file->function, file->count, sizeof(key), by_offset);
	return found && found->kinds[back].count > 0 ? &found->kinds[back] : NULL;
}

void value_files_free(struct value_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free_file(files->all[i]);
	free(files->all);
	tree_free(&files->by_module);
}
