/* SPDX-License-Identifier: MIT */
/* lookup.c (SAFE) - finds what is at an address: module, then table, then .dynsym.
 *
 * An unloaded module still answers from its table, and the answer is marked.  A loaded
 * one without a table answers from its .dynsym.
 */
#include "core/symbols/lookup.h"

#include "core/modules/dynsym.h"
#include "core/symbols/function_table.h"
#include "core/symbols/slot_names.h"
#include "whocallme/classic.h"

static void fill_module(struct wcm_symbol *symbol, uintptr_t address,
			const struct wcm_module *module)
{
	symbol->module = module->path;
	symbol->build_id = module->build_id;
	symbol->build_id_size = module->build_id_size;
	symbol->module_offset = address - module->bias;
}

/* Both are inline: two calls would be a fifteenth of a look-up. */
__attribute__((always_inline)) static inline bool
find_in_table(struct wcm_symbol *symbol, uintptr_t address, const struct wcm_known_module *module)
{
	const struct wcm_function_table *table = wcm__module_table(module);
	struct wcm_found_function found;
	uintptr_t offset = address - module->table_base;

	if (!table || offset > UINT32_MAX ||
	    !wcm__function_table_find(table, (uint32_t)offset, &found))
		return false;
	symbol->name = found.name;
	symbol->address = module->table_base + found.start;
	symbol->size = found.size;
	symbol->offset = address - symbol->address;
	symbol->flags |= found.flags;
	return true;
}

static bool find_in_dynsym(struct wcm_symbol *symbol, uintptr_t address,
			   const struct wcm_module *module)
{
	struct wcm_dynsym_function function;

	if (!wcm__dynsym_find(&module->dynsym, address - module->bias,
			      &function) ||
	    (function.untyped && (address < module->text_lo || address >= module->text_hi)))
		return false;
	symbol->name = function.name;
	symbol->address = module->bias + function.value;
	symbol->size = function.size;
	symbol->offset = address - symbol->address;
	symbol->flags |= WCM_SYMBOL_DYNSYM |
			 (function.ifunc ? WCM_SYMBOL_IFUNC : 0);
	return true;
}

/* A word that a function of another module is called by. */
static bool find_slot(struct wcm_symbol *symbol, uintptr_t address)
{
	const char *name = wcm__slot_name(address);

	if (!name)
		return false;
	symbol->name = name;
	symbol->address = address;
	symbol->size = sizeof(address);
	return true;
}

__attribute__((always_inline)) static inline enum wcm_status
find_in_known(struct wcm_symbol *symbol, uintptr_t address, const struct wcm_known_module *module,
	      enum wcm_module_state state)
{
	bool named;

	fill_module(symbol, address, &module->map);
	symbol->build_id = module->build_id;
	if (state == WCM_MODULE_GONE)
		symbol->flags |= WCM_SYMBOL_UNLOADED;
	if (find_slot(symbol, address))
		named = true;
	else if (wcm__module_table(module) || state == WCM_MODULE_GONE)
		named = find_in_table(symbol, address, module);
	else
		named = find_in_dynsym(symbol, address, &module->map);
	return named ? WCM_OK : WCM_ENOSYMS;
}

/* In a place that is made up. */
static bool find_made_up(struct wcm_symbol *symbol, uintptr_t address)
{
	const struct wcm_slot_names *names = wcm__slot_names_made_up(address);

	if (!names)
		return false;
	symbol->module = names->module;
	symbol->module_offset = address - names->place->lo;
	return find_slot(symbol, address);
}

enum wcm_status wcm_symbol_peek(uintptr_t address, struct wcm_symbol *symbol)
{
	enum wcm_module_state state;
	const struct wcm_known_module *known = wcm__modules_find(address, &state);
	struct wcm_module live;

	*symbol = (struct wcm_symbol){ 0 };
	if (known)
		return find_in_known(symbol, address, known, state);
	if (find_made_up(symbol, address))
		return WCM_OK;
	if (!wcm__module_find_live(&live, address))
		return WCM_ENOMODULE;
	fill_module(symbol, address, &live);
	return find_slot(symbol, address) || find_in_dynsym(symbol, address, &live) ?
		       WCM_OK : WCM_ENOSYMS;
}

enum wcm_status wcm__symbol_peek_in(const struct wcm_known_module *known, uintptr_t address,
				    struct wcm_symbol *symbol)
{
	if (!known)
		return wcm_symbol_peek(address, symbol);
	*symbol = (struct wcm_symbol){ 0 };
	return find_in_known(symbol, address, known, WCM_MODULE_LOADED);
}

const char *find_function_by_addr(unsigned long addr)
{
	struct wcm_symbol symbol;

	return wcm_symbol_peek(addr, &symbol) == WCM_OK ? symbol.name : NULL;
}
