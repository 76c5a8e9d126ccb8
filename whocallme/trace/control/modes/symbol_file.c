/* SPDX-License-Identifier: MIT */
/* symbol_file.c - writes the names of a module's functions, and of what kinds their values are, as
 * uftrace reads them.
 *
 * A file is written from the loaded table of each module that was called or likely will be.
 */
#include "trace/control/modes/symbol_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules/modules.h"
#include "core/symbols/function_table.h"
#include "core/symbols/slot_names.h"
#include "load/load.h"
#include "load/loaded.h"
#include "trace/control/modes/record_dir.h"
#include "trace/control/modes/record_session.h"
#include "trace/control/modes/values_file.h"
#include "trace/names/recorded_modules.h"
#include "trace/record/record_files.h"
#include "whocallme/symbol.h"

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What stands in the files for MODULE's path, the caller's to free. */
static char *path_of(const struct wcm_known_module *module)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	wcm__session_write_path(file, module);
	fclose(file);
	return text;
}

/* Whether the file NAME is that of PATH and ID. */
static bool is_of(const char *name, const char *path, const char *id)
{
	char line[2 * PATH_MAX];
	bool same_path = false, same_id = !*id;
	FILE *file = wcm__record_dir_file(name, O_RDONLY);

	while (file && fgets(line, sizeof(line), file) && *line == '#') {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "# path name: ", 13) == 0)
			same_path = strcmp(line + 13, path) == 0;
		if (strncmp(line, "# build-id: ", 12) == 0)
			same_id = strcmp(line + 12, id) == 0;
	}
	if (file)
		fclose(file);
	return same_path && same_id;
}

/* What a module is in the files. */
struct named {
	char *path, *id;
};

/* Make the file of KIND for MODULE, NAME being that which uftrace will look for: another module
 * may have the same last part.  NULL: there is one. */
static FILE *make_file(char name[static NAME_MAX + 1], const struct named *module,
		       const char *kind)
{
	const char *path = module->path, *id = module->id;
	uint16_t sum = 0;
	FILE *file;

	snprintf(name, NAME_MAX + 1, "%s.%s", last_part(path), kind);
	file = wcm__record_dir_file(name, WCM_NEW_FILE);
	if (file || is_of(name, path, id))
		return file;
	for (const char *byte = path; *byte; byte++)
		sum = (uint16_t)(sum + *byte);
	if (*id)
		snprintf(name, NAME_MAX + 1, "%s-%.4s.%s", last_part(path), id, kind);
	else
		snprintf(name, NAME_MAX + 1, "%s-%04x.%s", last_part(path), sum, kind);
	return wcm__record_dir_file(name, WCM_NEW_FILE);
}

/* A line is a function: what would end it stands as \\x0a. */
static void write_name(FILE *file, const char *name)
{
	for (; *name; name++)
		if (*name == '\n')
			fputs("\\x0a", file);
		else
			putc(*name, file);
	putc('\n', file);
}

/* Of this one's names, uftrace goes by one alone. */
static bool is_fork(const struct wcm_known_module *module,
		    const struct wcm_function_entry *entry)
{
	return module->table_base + entry->start == wcm__recording.fork;
}

static void write_functions(FILE *file, const struct wcm_known_module *module,
			    const struct wcm_function_table *table)
{
	const uintptr_t base = module->table_base - module->map.lo;
	uintptr_t end = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		const struct wcm_function_entry *entry = &table->entry[i];

		if (entry->size & WCM_ENTRY_PART_OF ||
		    table->flags[i] & WCM_SYMBOL_PLT)
			continue;
		fprintf(file, "%016" PRIxPTR " T ", base + entry->start);
		write_name(file, is_fork(module, entry) ? "fork" :
					 table->names + entry->name);
		end = base + entry->start + entry->size;
	}
	fprintf(file, "%016" PRIxPTR " ? __sym_end\n", end);
}

/* Calls of other modules' functions have the address of the word that they are made by. */
static void write_slots(FILE *file, const struct wcm_module *map)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();

	for (; names; names = names->next)
		for (size_t i = 0; i < names->count; i++) {
			const struct wcm_slot_name *slot = &names->slot[i];

			if (slot->at < map->lo || slot->at >= map->hi)
				continue;
			fprintf(file, "%016" PRIxPTR " P ", slot->at - map->lo);
			write_name(file, wcm__session_symbol(slot));
			fprintf(file, "%016" PRIxPTR " ? __sym_end\n",
				slot->at - map->lo + sizeof(slot->at));
		}
}

static void write_head(FILE *file, const struct named *named)
{
	fprintf(file, "# path name: %s\n", named->path);
	if (*named->id)
		fprintf(file, "# build-id: %s\n", named->id);
}

/* The module's own file is better than a part. */
static void close_file(FILE *file, const char *name)
{
	if (!wcm__record_dir_close(file))
		wcm__record_dir_remove(name);
}

/* The names of what is in no module that is loaded. */
static void write_made_up(const struct wcm_known_module *module, const struct named *named)
{
	char name[NAME_MAX + 1];
	FILE *file = make_file(name, named, "sym");

	if (file) {
		write_head(file, named);
		write_slots(file, &module->map);
		close_file(file, name);
	}
}

static void write_symbols(const struct wcm_known_module *module, const struct named *named)
{
	const struct wcm_function_table *table = wcm__module_table(module);
	char name[NAME_MAX + 1];
	FILE *file = table ? make_file(name, named, "sym") : NULL;

	if (file) {
		fprintf(file, "# symbols: %" PRIu32 "\n", table->count);
		write_head(file, named);
		write_functions(file, module, table);
		write_slots(file, &module->map);
		close_file(file, name);
	}
}

static void write_values(const struct wcm_known_module *module, const struct named *named)
{
	char name[NAME_MAX + 1];
	FILE *file = make_file(name, named, "dbg");

	if (file) {
		write_head(file, named);
		wcm__values_file_write(file, module);
		close_file(file, name);
	}
}

static void write_module(const struct wcm_known_module *module,
			 void (*write)(const struct wcm_known_module *module,
				       const struct named *named))
{
	struct named named = { path_of(module), NULL };
	size_t size;
	FILE *file = open_memstream(&named.id, &size);

	if (file) {
		wcm__session_write_id(file, module);
		fclose(file);
	}
	if (named.path && named.id)
		write(module, &named);
	free(named.path);
	free(named.id);
}

static void write_needed_values(const struct wcm_known_module *module)
{
	if (wcm__recording.has_data && wcm__values_file_is_needed(module))
		write_module(module, write_values);
}

void wcm__symbol_files_write(void)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();
	const struct wcm_module_list *list;

	for (; names; names = names->next) {
		struct wcm_known_module place;

		if (!names->place)
			continue;
		place = wcm__session_place(names);
		if (!wcm__recorded_is_first(place.map.lo) && !wcm__recorded_is_called(&place))
			continue;
		write_module(&place, write_made_up);
		write_needed_values(&place);
	}
	wcm__load_all(NULL);
	list = wcm__modules_get();
	for (size_t i = 0; i < list->count; i++) {
		const struct wcm_known_module *module = list->module[i];

		if (wcm__session_calls(module) ||
		    wcm__recorded_is_called(module))
			write_module(module, write_symbols);
		write_needed_values(module);
	}
}
