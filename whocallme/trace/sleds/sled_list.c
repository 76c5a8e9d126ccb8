/* SPDX-License-Identifier: MIT */
/* sled_list.c (SAFE) - keeps the sleds of all modules, and finds the one at an address.
 *
 * What is loaded is known from the list of modules, and what has been loaded since from the
 * dynamic linker's.  A library that comes again, to where it was, has its sleds still.
 *
 * A hook asks for the sled that its call returns to: that is found by a table of these
 * addresses, which only ever grows.  A reader of an old table misses what is new.
 */
#include "trace/sleds/sled_list.h"

#include "core/modules/linked.h"
#include "core/os/auxv.h"
#include "core/os/memory.h"
#include "core/os/read.h"

static struct wcm_sled_module *modules;

struct wcm_sled_returns *wcm__sled_returns;
static size_t listed; /* sleds in it */

static void insert_return(struct wcm_sled_returns *table, const struct wcm_sled *sled)
{
	const uintptr_t pc = wcm__sled_return_of(sled);
	size_t at = wcm__sled_return_hash(pc) & table->mask;

	while (table->slot[at] && wcm__sled_return_of(table->slot[at]) != pc)
		at = (at + 1) & table->mask;
	__atomic_store_n(&table->slot[at], sled, __ATOMIC_RELEASE);
}

static size_t size_of(size_t slots)
{
	return sizeof(struct wcm_sled_returns) + slots * sizeof(struct wcm_sled *);
}

/* Room for COUNT more.  The old table stays, for hooks that read it. */
static bool grow_returns(size_t count)
{
	const struct wcm_sled_returns *returns = wcm__sled_returns;
	size_t slots = returns ? returns->mask + 1 : 1024;
	struct wcm_sled_returns *grown;

	while (slots < 2 * (listed + count))
		slots *= 2;
	if (returns && slots == returns->mask + 1)
		return true;
	grown = wcm__map(size_of(slots));
	if (!grown)
		return false;
	grown->mask = slots - 1;
	for (size_t i = 0; returns && i <= returns->mask; i++)
		if (returns->slot[i])
			insert_return(grown, returns->slot[i]);
	__atomic_store_n(&wcm__sled_returns, grown, __ATOMIC_RELEASE);
	return true;
}

bool wcm__sleds_list_returns(const struct wcm_sled_module *module)
{
	if (!grow_returns(module->count))
		return false;
	for (size_t i = 0; i < module->count; i++, listed++)
		insert_return(wcm__sled_returns, &module->sled[i]);
	return true;
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

		if (pc < module->map.lo || pc >= module->map.hi || !module->is_loaded)
			continue;
		while (lo < hi) {
			const size_t middle = lo + (hi - lo) / 2;

			if (wcm__sled_end(&module->sled[middle]) <= pc)
				lo = middle + 1;
			else
				hi = middle;
		}
		if (lo < module->count && module->sled[lo].at <= pc)
			return &module->sled[lo];
	}
	return NULL;
}

/* What tells a module from another at its address: its program headers, and the build-id.
 * Its code does not tell, for that is changed.  0: nothing is there. */
uint64_t wcm__sleds_identify(const struct wcm_module *map)
{
	enum { LOT = 16 };
	const uintptr_t at = (uintptr_t)map->phdr;
	uint64_t hash = WCM_MODULE_HASH;
	ElfW(Phdr) phdr[LOT];
	uint8_t id[64];

	for (size_t i = 0; i < map->phnum; i += LOT) {
		const size_t part = map->phnum - i < LOT ? map->phnum - i : LOT;

		if (!wcm__read_memory(at + i * sizeof(*phdr), phdr, part * sizeof(*phdr)))
			return 0;
		hash = wcm__module_hash(hash, phdr, part * sizeof(*phdr));
	}
	if (map->build_id_size == 0 || map->build_id_size > sizeof(id))
		return hash;
	if (!wcm__read_memory((uintptr_t)map->build_id, id, map->build_id_size))
		return 0;
	return wcm__module_hash(hash, id, map->build_id_size);
}

/* Of zeros; modules are not given back. */
static struct wcm_sled_module *new_module(void)
{
	static struct wcm_sled_module *lot;
	static size_t left;

	if (left == 0 && (lot = wcm__map(WCM_PAGE)))
		left = WCM_PAGE / sizeof(*lot);
	if (left == 0)
		return NULL;
	left--;
	return lot++;
}

static bool take_in(const struct wcm_module *map, uint64_t identity,
		    const struct wcm_known_module *known)
{
	struct wcm_sled_module *module = new_module();

	if (!module)
		return false;
	module->map = *map;
	module->identity = identity;
	if (!wcm__sleds_of(module, known) || !wcm__sleds_list_returns(module))
		return false;
	module->map.path = NULL; /* it may go before the module does */
	module->is_loaded = true;
	module->next = modules;
	__atomic_store_n(&modules, module, __ATOMIC_RELEASE);
	return true;
}

static struct wcm_sled_module *find(const struct wcm_module *map, uint64_t identity)
{
	struct wcm_sled_module *module = modules;

	while (module && (module->map.lo != map->lo || module->map.bias != map->bias ||
			  module->identity != identity))
		module = module->next;
	return module;
}

static void forget(struct wcm_sled_module *module)
{
	module->is_loaded = module->is_on = false;
}

/* Its sleds are found first again at the returns that others had in its absence. */
static void revive(struct wcm_sled_module *module)
{
	for (size_t i = 0; i < module->count; i++)
		insert_return(wcm__sled_returns, &module->sled[i]);
	module->is_loaded = true;
}

struct wcm_span wcm__sleds_own_code;
static uintptr_t own_bias; /* of the library, where it is no part of the executable */

/* Whether MAP is this library; where it is a part of the executable, nothing of it has
 * sleds. */
static bool is_ours(const struct wcm_module *map)
{
	const uintptr_t entry = wcm__arch_sled_entry_address();

	if (entry < map->lo || entry >= map->hi || (uintptr_t)map->phdr == wcm__auxv(AT_PHDR))
		return false;
	wcm__sleds_own_code = (struct wcm_span){ .lo = map->text_lo, .hi = map->text_hi };
	own_bias = map->bias;
	return true;
}

bool wcm__sleds_are_there(const struct wcm_sled_module *module)
{
	return module->is_loaded && wcm__sleds_identify(&module->map) == module->identity;
}

/* One that is loaded.  False: no memory. */
static bool meet(const struct wcm_module *map, const struct wcm_known_module *known,
		 bool *is_new)
{
	const uint64_t identity = wcm__sleds_identify(map);
	struct wcm_sled_module *module;

	if (identity == 0 || is_ours(map))
		return true;
	module = find(map, identity);
	if (!module) {
		*is_new = true;
		return take_in(map, identity, known);
	}
	*is_new |= !module->is_loaded;
	if (!module->is_loaded)
		revive(module);
	return true;
}

bool wcm__sleds_find(void)
{
	const struct wcm_module_list *list = wcm__modules_get();
	bool is_new = false;

	if (wcm__arch_sled_entry_address() == 0)
		return true;
	for (struct wcm_sled_module *module = modules; module; module = module->next)
		if (!wcm__sleds_are_there(module))
			forget(module);
	for (size_t i = 0; i < list->count; i++)
		if (wcm__module_is_loaded(list->module[i]) &&
		    !meet(&list->module[i]->map, list->module[i], &is_new))
			return false;
	return true;
}

static bool is_of(const struct wcm_sled_module *module, const struct link_map *map)
{
	return module->is_loaded && module->map.bias == map->l_addr &&
	       (uintptr_t)map->l_ld >= module->map.lo && (uintptr_t)map->l_ld < module->map.hi;
}

/* Libraries begin with their ELF header. */
static bool meet_linked(const struct link_map *map, bool *is_new)
{
	struct wcm_module described;

	for (const struct wcm_sled_module *module = modules; module; module = module->next)
		if (is_of(module, map))
			return true;
	return !map->l_addr || !map->l_ld || map->l_addr == own_bias ||
	       !wcm__module_describe_image(&described, map->l_addr,
					   wcm__module_path(map->l_name)) ||
	       meet(&described, NULL, is_new);
}

enum { MOST_MODULES = 65536 };

static bool find_linked(const struct wcm_sled_module *module, struct link_map *map)
{
	uintptr_t at = wcm__linked_first();

	for (unsigned i = 0; i < MOST_MODULES && wcm__linked_next(&at, map); i++)
		if (is_of(module, map))
			return true;
	return false;
}

const char *wcm__sleds_path(const struct wcm_sled_module *module)
{
	struct link_map map;

	return find_linked(module, &map) ? wcm__module_path(map.l_name) : NULL;
}

void wcm__sleds_forget(void)
{
	struct link_map map;

	for (struct wcm_sled_module *module = modules; module; module = module->next)
		if (module->is_loaded && !find_linked(module, &map))
			forget(module);
}

bool wcm__sleds_meet(bool *is_new)
{
	uintptr_t at = wcm__linked_first();
	struct link_map map;

	for (unsigned i = 0; i < MOST_MODULES && wcm__linked_next(&at, &map); i++)
		if (!meet_linked(&map, is_new))
			return false;
	return true;
}
