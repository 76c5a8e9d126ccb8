/* SPDX-License-Identifier: MIT */
/* sled_list.c - finds the sleds of all modules, and the one at an address.
 *
 * The compiler lists its sleds in a section that the linker keeps by chance only: where it
 * collects garbage, the list of an object file goes with that file's first function.  So
 * the functions of the symbol table are looked at, too.  In both cases the bytes decide.
 *
 * A hook asks for the sled that its call returns to the end of: that is found by a table of
 * these ends, which only ever grows.  A reader of an old table misses what is new.
 */
#include "trace/source/sled/sled_list.h"

#include <string.h>

#include "core/os/auxv.h"
#include "core/os/memory.h"
#include "core/symbols/function_table.h"
#include "core/symbols/symtab.h"
#include "format/sled_code.h"
#include "whocallme/symbol.h"

static struct wcm_sled_module *modules;

/* Open addressing, half full at most. */
struct ends {
	size_t mask; /* slots less one */
	const struct wcm_sled *slot[];
};

static struct ends *ends;
static size_t ended; /* sleds in it */

static uintptr_t end_of(const struct wcm_sled *sled)
{
	return sled->at + sled->size;
}

static size_t hash(uintptr_t end)
{
	return (size_t)((uint64_t)end * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

static void insert_end(struct ends *table, const struct wcm_sled *sled)
{
	size_t at = hash(end_of(sled)) & table->mask;

	while (table->slot[at] && end_of(table->slot[at]) != end_of(sled))
		at = (at + 1) & table->mask;
	__atomic_store_n(&table->slot[at], sled, __ATOMIC_RELEASE);
}

static size_t size_of(size_t slots)
{
	return sizeof(struct ends) + slots * sizeof(ends->slot[0]);
}

/* Room for COUNT more.  The old table stays, for hooks that read it. */
static bool grow_ends(size_t count)
{
	size_t slots = ends ? ends->mask + 1 : 1024;
	struct ends *grown;

	while (slots < 2 * (ended + count))
		slots *= 2;
	if (ends && slots == ends->mask + 1)
		return true;
	grown = wcm__map(size_of(slots));
	if (!grown)
		return false;
	grown->mask = slots - 1;
	for (size_t i = 0; ends && i <= ends->mask; i++)
		if (ends->slot[i])
			insert_end(grown, ends->slot[i]);
	__atomic_store_n(&ends, grown, __ATOMIC_RELEASE);
	return true;
}

const struct wcm_sled *wcm__sleds_ending_at(uintptr_t end)
{
	const struct ends *table = __atomic_load_n(&ends, __ATOMIC_ACQUIRE);
	const struct wcm_sled *sled;

	for (size_t at = hash(end); table; at++) {
		sled = __atomic_load_n(&table->slot[at & table->mask], __ATOMIC_ACQUIRE);
		if (!sled || end_of(sled) == end)
			return sled;
	}
	return NULL;
}

struct wcm_sled_module *wcm__sleds_first(void)
{
	return __atomic_load_n(&modules, __ATOMIC_ACQUIRE);
}

const struct wcm_sled *wcm__sleds_at(uintptr_t pc)
{
	for (const struct wcm_sled_module *module = wcm__sleds_first(); module;
	     module = module->next) {
		size_t lo = 0, hi = module->count;

		if (pc < module->lo || pc >= module->hi || !module->is_loaded)
			continue;
		while (lo < hi) {
			const size_t middle = lo + (hi - lo) / 2;

			if (end_of(&module->sled[middle]) <= pc)
				lo = middle + 1;
			else
				hi = middle;
		}
		if (lo < module->count && module->sled[lo].at <= pc)
			return &module->sled[lo];
	}
	return NULL;
}

static bool make_room(struct wcm_sled_module *module)
{
	const size_t room = module->room ? 2 * module->room : 1024;
	struct wcm_sled *grown;

	if (module->count < module->room)
		return true;
	grown = wcm__map(room * sizeof(*grown));
	if (!grown)
		return false;
	if (module->room > 0) {
		memcpy(grown, module->sled, module->count * sizeof(*grown));
		wcm__unmap(module->sled, module->room * sizeof(*grown));
	}
	module->sled = grown;
	module->room = room;
	return true;
}

static bool add(struct wcm_sled_module *module, uintptr_t at, uintptr_t func, bool at_entry,
		size_t size)
{
	struct wcm_sled *sled;

	if (!make_room(module))
		return false;
	sled = &module->sled[module->count++];
	*sled = (struct wcm_sled){ .at = at, .func = func, .size = (uint8_t)size,
				   .at_entry = at_entry };
	memcpy(sled->nops, (const void *)at, size);
	return true;
}

/* Bytes of MODULE's code from AT on, at most MOST. */
static size_t code_size(const struct wcm_module *module, uintptr_t at, size_t most)
{
	if (at < module->text_lo || at >= module->text_hi)
		return 0;
	return module->text_hi - at < most ? module->text_hi - at : most;
}

/* Where the function begins whose NOPs begin at AT, in front of which only what says that it
 * may be called indirectly can be. */
static uintptr_t function_at(const struct wcm_module *module, uintptr_t at)
{
	enum { LANDING = 4 };

	if (at >= module->text_lo + LANDING &&
	    wcm__arch_landing_size((const uint8_t *)at - LANDING, LANDING) == LANDING)
		return at - LANDING;
	return at;
}

/* One that the compiler has listed. */
static bool add_listed(struct wcm_sled_module *sleds, const struct wcm_module *module,
		       uintptr_t at)
{
	struct wcm_sled_code sled;

	return wcm__sled_code_listed((const uint8_t *)at,
				     code_size(module, at, WCM_SLED_MOST),
				     &sled) != WCM_SLED_FOUND ||
	       add(sleds, at, function_at(module, at), true, sled.size);
}

static bool add_list(struct wcm_sled_module *sleds, const struct wcm_module *module)
{
	static struct wcm_symtab_search search;
	const uintptr_t *at;
	ElfW(Shdr) section;

	if (!wcm__symtab_find_section(&search, module, "__patchable_function_entries", &section))
		return true;
	at = (const uintptr_t *)(module->bias + section.sh_addr);
	if ((uintptr_t)at < module->lo || (uintptr_t)at >= module->hi ||
	    section.sh_size > module->hi - (uintptr_t)at)
		return true;
	for (size_t i = 0; i < section.sh_size / sizeof(*at); i++)
		if (!add_listed(sleds, module, at[i]))
			return false;
	return true;
}

/* One that a function of the symbol table begins with. */
static bool add_named(struct wcm_sled_module *sleds, const struct wcm_module *module,
		      uintptr_t func, bool is_listed)
{
	struct wcm_sled_code sled;

	return wcm__sled_code_named((const uint8_t *)func,
				    code_size(module, func, WCM_SLED_CODE), is_listed,
				    &sled) != WCM_SLED_FOUND ||
	       add(sleds, func + sled.at, func, sled.at_entry, sled.size);
}

static bool add_all_named(struct wcm_sled_module *sleds, const struct wcm_known_module *known)
{
	const uint32_t others = WCM_SYMBOL_PLT | WCM_SYMBOL_COLD | WCM_SYMBOL_IFUNC;
	const struct wcm_function_table *table = wcm__module_table(known);
	const bool is_listed = sleds->count > 0;

	for (uint32_t i = 0; table && i < table->count; i++)
		if (!(table->flags[i] & others) &&
		    !(table->entry[i].size & WCM_ENTRY_PART_OF) &&
		    !add_named(sleds, &known->map, known->table_base + table->entry[i].start,
			       is_listed))
			return false;
	return true;
}

/* Both ways give nearly all in order: what is not is moved to its place. */
static void sort(struct wcm_sled_module *module)
{
	for (size_t gap = module->count / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < module->count; i++) {
			const struct wcm_sled sled = module->sled[i];
			size_t at = i;

			for (; at >= gap && module->sled[at - gap].at > sled.at; at -= gap)
				module->sled[at] = module->sled[at - gap];
			module->sled[at] = sled;
		}
}

/* The same sled may have been found twice, and no two may overlap. */
static void drop_doubles(struct wcm_sled_module *module)
{
	size_t kept = 0;

	for (size_t i = 0; i < module->count; i++)
		if (kept == 0 || end_of(&module->sled[kept - 1]) <= module->sled[i].at)
			module->sled[kept++] = module->sled[i];
	module->count = kept;
}

static bool take_in(struct wcm_known_module *known)
{
	struct wcm_sled_module *module = wcm__map(sizeof(*module));

	if (!module)
		return false;
	module->known = known;
	module->lo = known->map.lo;
	module->hi = known->map.hi;
	module->is_loaded = true;
	if (!add_list(module, &known->map) || !add_all_named(module, known))
		return false;
	sort(module);
	drop_doubles(module);
	if (!grow_ends(module->count))
		return false;
	for (size_t i = 0; i < module->count; i++, ended++)
		insert_end(ends, &module->sled[i]);
	module->next = modules;
	__atomic_store_n(&modules, module, __ATOMIC_RELEASE);
	return true;
}

static struct wcm_sled_module *find(const struct wcm_known_module *known)
{
	struct wcm_sled_module *module = modules;

	while (module && module->known != known)
		module = module->next;
	return module;
}

/* Whether KNOWN is this library; where it is a part of the executable, nothing of it has
 * sleds. */
static bool is_ours(const struct wcm_known_module *known)
{
	const uintptr_t entry = wcm__arch_sled_entry_address();

	return entry >= known->map.lo && entry < known->map.hi &&
	       (uintptr_t)known->map.phdr != wcm__auxv(AT_PHDR);
}

bool wcm__sleds_find(void)
{
	const struct wcm_module_list *list = wcm__modules_get();

	if (wcm__arch_sled_entry_address() == 0)
		return true;
	for (struct wcm_sled_module *module = modules; module; module = module->next)
		module->is_loaded = false;
	for (size_t i = 0; i < list->count; i++) {
		struct wcm_known_module *known = list->module[i];
		struct wcm_sled_module *module;

		if (!wcm__module_is_loaded(known) || is_ours(known))
			continue;
		module = find(known);
		if (module)
			module->is_loaded = true;
		else if (!take_in(known))
			return false;
	}
	return true;
}
