/* SPDX-License-Identifier: MIT */
/* functions.c - reads the functions of an object file that is not running.
 *
 * It makes the same tables as for a loaded module.  The file may be hostile.
 */
#include "whocallme/functions.h"

#include <stdlib.h>
#include <string.h>

#include "load/lock.h"
#include "load/objects/build_table.h"
#include "load/objects/debug_file.h"

struct wcm_functions {
	struct wcm_file_symbols file;
	struct wcm_function_table *table;
	char *names; /* of all symbols, versions cut off, in their order */
	uint32_t *name;
};

/* Copy the names: BFD keeps them with their versions. */
static bool copy_names(struct wcm_functions *functions)
{
	const struct wcm_raw_symbols *raw = &functions->file.raw;
	size_t used = 0;

	functions->names = malloc(raw->names + 1);
	functions->name = calloc(raw->count + 1, sizeof(*functions->name));
	if (!functions->names || !functions->name || raw->names > UINT32_MAX)
		return false;
	for (size_t i = 0; i < raw->count; i++) {
		const struct wcm_raw_symbol *symbol = &raw->symbol[i];
		size_t length = wcm__name_length(symbol->name, symbol->flags);

		functions->name[i] = (uint32_t)used;
		memcpy(functions->names + used, symbol->name, length);
		functions->names[used + length] = '\0';
		used += length + 1;
	}
	return true;
}

static enum wcm_status load(struct wcm_functions *functions, const char *path)
{
	struct wcm_objfile *objfile;
	enum wcm_status status = wcm__objfile_open(&objfile, path, -1);

	if (status == WCM_OK)
		status = wcm__file_symbols_init(&functions->file, objfile, path);
	if (status != WCM_OK)
		return status;
	functions->table = wcm__build_table(&functions->file.raw);
	return functions->table && copy_names(functions) ? WCM_OK : WCM_ENOMEM;
}

static void free_locked(struct wcm_functions *functions)
{
	wcm__file_symbols_fini(&functions->file);
	free(functions->table);
	free(functions->names);
	free(functions->name);
	free(functions);
}

enum wcm_status wcm_functions_load(struct wcm_functions **functions,
				   const char *path)
{
	struct wcm_functions *loaded = calloc(1, sizeof(*loaded));
	enum wcm_status status;

	*functions = NULL;
	if (!loaded)
		return WCM_ENOMEM;
	wcm__lock();
	status = load(loaded, path);
	if (status == WCM_OK)
		*functions = loaded;
	else
		free_locked(loaded);
	wcm__unlock();
	return status;
}

void wcm_functions_free(struct wcm_functions *functions)
{
	if (!functions)
		return;
	wcm__lock();
	free_locked(functions);
	wcm__unlock();
}

size_t wcm_functions_count(const struct wcm_functions *functions)
{
	return functions->file.raw.count;
}

static const struct wcm_section_layout *
layout_of(const struct wcm_functions *functions)
{
	return wcm__objfile_layout(functions->file.objfile);
}

struct wcm_function wcm_functions_get(const struct wcm_functions *functions,
				      size_t index)
{
	const struct wcm_raw_symbol *symbol = functions->file.raw.symbol + index;

	return (struct wcm_function){
		.address = wcm__section_layout_address(layout_of(functions),
						       symbol->offset),
		.size = symbol->size,
		.name = functions->names + functions->name[index],
		.flags = symbol->flags,
		.alias = index > 0 && symbol[-1].offset == symbol->offset,
	};
}

bool wcm_functions_find(const struct wcm_functions *functions, uint64_t address,
			struct wcm_function *function)
{
	struct wcm_found_function found;
	uint32_t offset;

	if (!wcm__section_layout_find(layout_of(functions), address, &offset) ||
	    !wcm__function_table_find(functions->table, offset, &found))
		return false;
	*function = (struct wcm_function){
		.address = address - (offset - found.start),
		.size = found.size,
		.name = found.name,
		.flags = found.flags,
	};
	return true;
}

const uint8_t *wcm_functions_build_id(const struct wcm_functions *functions,
				      size_t *size)
{
	return wcm__objfile_build_id(functions->file.objfile, size);
}
