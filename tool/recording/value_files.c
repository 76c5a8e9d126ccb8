/* SPDX-License-Identifier: MIT */
/* value_files.c - finds the kinds of a function's values by its address, in a recording.
 *
 * What debug data says of a module is in a file beside that of its symbols, named likewise:
 *
 *	E: enum color {RED,GREEN=5}
 *	F: 1136 mix
 *	#C: iE0id
 *	A: @arg1/e:color,fparg1/64
 *	R: @retval
 *
 * Codes are there where this library has recorded, which shows values as its log does.  They refer
 * to enumerations by number; of one that #B follows the values are bits.
 */
#include "recording/recording_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/grow.h"
#include "trace/values/enumeration.h"
#include "trace/values/prototype.h"

/* A function of a file. */
struct located {
	uint64_t offset;
	char *codes; /* or NULL */
	struct value_kinds kinds[2]; /* what is given, and what is given back */
};

struct value_file_of {
	const struct module *module;
	struct value_specs *specs; /* has its enumerations */
	struct wcm_enumerations names; /* the same, of codes */
	struct wcm_enumeration *enumeration;
	size_t enumeration_room;
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

/* NAME=VALUE, as it is shown; a name that is none is that of no value.  False: no memory. */
static bool add_member(struct wcm_enumeration *to, size_t *room, const char *text)
{
	struct wcm_enumerator *grown = grow((void *)to->enumerator, to->count, room,
					    sizeof(*grown));
	const char *value = strchr(text, '=');
	char *name = strndup(text, strcspn(text, "="));

	if (grown)
		to->enumerator = grown;
	if (!grown || !name) {
		free(name);
		return false;
	}
	grown[to->count++] = (struct wcm_enumerator){
		.value = value ? strtoll(value + 1, NULL, 10) : 0,
		.name = escaped_name(name, SIZE_MAX),
	};
	free(name);
	return grown[to->count - 1].name != NULL;
}

/* TEXT is "enum color {RED=0,GREEN=5}". */
static void add_enumeration(struct value_file_of *file, const char *text)
{
	struct wcm_enumeration *grown = grow(file->enumeration, file->names.count,
					     &file->enumeration_room, sizeof(*grown));
	const char *begin = strchr(text, '{');
	char *copy = begin ? strndup(begin + 1, strcspn(begin + 1, "}")) : NULL;
	char *rest = copy, *member;
	size_t room = 0;

	if (!grown) {
		free(copy);
		return;
	}
	file->names.enumeration = file->enumeration = grown;
	grown += file->names.count++;
	*grown = (struct wcm_enumeration){ .name = "" };
	while ((member = strsep(&rest, ",")) && add_member(grown, &room, member))
		;
	free(copy);
}

static void are_bits(struct value_file_of *file)
{
	if (file->names.count > 0)
		file->enumeration[file->names.count - 1].are_flags = true;
}

/* Codes count if they are such, to the last. */
static void add_codes(struct value_file_of *file, const char *codes)
{
	struct located *function = file->count > 0 ? &file->function[file->count - 1] : NULL;

	if (function && !function->codes && wcm__prototype_is_known(codes))
		function->codes = strdup(codes);
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
	if (strncmp(line, "E: ", 3) == 0) {
		add_enumeration(file, line + 3);
		value_specs_enumerate(file->specs, line + 3);
	} else if (strcmp(line, "#B") == 0)
		are_bits(file);
	else if (strncmp(line, "#C: ", 4) == 0)
		add_codes(file, line + 4);
	else if (strncmp(line, "F: ", 3) == 0)
		begin_function(file, line + 3);
	else if (strncmp(line, "A: ", 3) == 0 || strncmp(line, "R: ", 3) == 0)
		add_values(file, line + 3, *line == 'R');
}

/* Have both kinds of FUNCTION know their codes. */
static void refer(const struct value_file_of *file, struct located *function)
{
	struct wcm_value value;
	const char *given = function->codes;

	if (!given)
		return;
	for (int back = 0; back < 2; back++)
		function->kinds[back].names = &file->names;
	function->kinds[true].codes = given;
	function->kinds[false].codes = *given == 'v' ? given + 1 :
						       wcm__prototype_skip(given, &value);
}

static void read_file(struct value_file_of *file, struct modules *modules)
{
	char *text = sym_store_text(&modules->tables, modules->dir, file->module->path,
				    file->module->build_id), *rest = text, *line;

	while (file->specs && (line = strsep(&rest, "\n")))
		read_line(file, line);
	free(text);
	for (size_t i = 0; i < file->count; i++)
		refer(file, &file->function[i]);
	if (file->count > 0)
		qsort(file->function, file->count, sizeof(*file->function), by_offset);
}

static void free_file(struct value_file_of *file)
{
	for (size_t i = 0; i < file->count; i++) {
		for (int back = 0; back < 2; back++)
			free(file->function[i].kinds[back].spec);
		free(file->function[i].codes);
	}
	for (size_t i = 0; i < file->names.count; i++) {
		for (size_t k = 0; k < file->enumeration[i].count; k++)
			free((void *)file->enumeration[i].enumerator[k].name);
		free((void *)file->enumeration[i].enumerator);
	}
	free(file->enumeration);
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
	return found && (found->kinds[back].count > 0 || found->kinds[back].codes) ?
		       &found->kinds[back] : NULL;
}

void value_files_free(struct value_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free_file(files->all[i]);
	free(files->all);
	tree_free(&files->by_module);
}
