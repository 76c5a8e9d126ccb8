/* SPDX-License-Identifier: MIT */
/* data_symbols.c - names the variable that holds an address.
 *
 * Nothing is loaded for it: variables are asked for rarely, so that each look-up goes through
 * the .symtab of the module's own file or its debug file, or else its mapped .dynsym.
 */
#include "load/data_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "core/modules/modules.h"
#include "core/symbols/symtab.h"
#include "load/lock.h"
#include "load/objects/debug_file.h"

struct kept {
	struct kept *next;
	char name[];
};

static size_t bucket_of(const char *name)
{
	return (size_t)wcm__module_hash(WCM_MODULE_HASH, name, strlen(name));
}

/* A copy of NAME for good, one of each name; NULL: out of memory. */
static const char *keep(const char *name)
{
	enum { BUCKETS = 256 };
	static struct kept *bucket[BUCKETS];
	struct kept **first = &bucket[bucket_of(name) % BUCKETS], *kept;
	const size_t size = strlen(name) + 1;

	for (kept = *first; kept; kept = kept->next)
		if (strcmp(kept->name, name) == 0)
			return kept->name;
	kept = malloc(sizeof(*kept) + size);
	if (!kept)
		return NULL;
	memcpy(kept->name, name, size);
	kept->next = *first;
	*first = kept;
	return kept->name;
}

static bool take(struct wcm_symbol *symbol, const struct wcm_module *module, const char *name,
		 uint64_t value, uint64_t size)
{
	symbol->name = name;
	symbol->address = module->bias + (uintptr_t)value;
	symbol->size = size;
	symbol->offset = symbol->module_offset - value;
	symbol->flags |= WCM_SYMBOL_DATA;
	return name != NULL;
}

static bool find_in_file(struct wcm_symbol *symbol, const struct wcm_module *module)
{
	static struct wcm_symtab_search search;

	return wcm__symtab_find_data(&search, module, symbol->module_offset) &&
	       take(symbol, module, keep(search.name), search.value, search.size);
}

/* The file was looked for when functions were loaded. */
static bool find_in_debug_file(struct wcm_symbol *symbol, const struct wcm_module *module,
			       uintptr_t address, wcm_debug_opener *open)
{
	static struct wcm_symtab_search search;
	struct wcm_file_symbols file;
	const bool found = open(&file, address) &&
			   wcm__symtab_find_data_in(&search, module, symbol->module_offset,
						    wcm__objfile_fd(file.debug)) &&
			   take(symbol, module, keep(search.name), search.value, search.size);

	wcm__file_symbols_fini(&file);
	return found;
}

static bool find_in_dynsym(struct wcm_symbol *symbol, const struct wcm_module *module)
{
	struct wcm_dynsym_function data;

	if (!wcm__dynsym_find_data(&module->dynsym, symbol->module_offset, &data) ||
	    !take(symbol, module, data.name, data.value, data.size))
		return false;
	symbol->flags |= WCM_SYMBOL_DYNSYM;
	return true;
}

bool wcm__data_symbol_find(uintptr_t address, struct wcm_symbol *symbol, wcm_debug_opener *open)
{
	struct wcm_module module;
	bool found = false;

	wcm__lock();
	if (wcm__module_find_live(&module, address) &&
	    symbol->module_offset == address - module.bias)
		found = find_in_file(symbol, &module) ||
			find_in_debug_file(symbol, &module, address, open) ||
			find_in_dynsym(symbol, &module);
	wcm__unlock();
	return found;
}
