/* SPDX-License-Identifier: MIT */
/* dlopen_names.c (SAFE) - names functions in libraries that dlopen() loaded after the tables were
 * built, by file and offset: a name outlives its module, which need not be there.
 *
 * In a crash report, and before tables are built, it also names those of an executable that has
 * no table.  The module's file is read once for each address.  The answer, or that there is none,
 * is remembered with a sum of what tells the module from another that may come to the same
 * addresses.  A name is copied once for each function and stays.
 */
#include "core/symbols/dlopen_names.h"

#include <stddef.h>
#include <string.h>

#include "core/modules/linked.h"
#include "core/modules/modules.h"
#include "core/os/clock.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/read.h"
#include "core/os/slab.h"
#include "core/symbols/lookup.h"
#include "core/symbols/symtab.h"

enum { SLOT_BITS = 16, SLOTS = 1 << SLOT_BITS, TRIES = 16, ROOM = 16 << 20,
       HEAD = 1024, LONGEST_ID = 64, SOME_CODE = 32 };

/* What is at an offset of a module, wherever it is loaded.  The thread that has exchanged
 * KEY for 0 writes the rest, SUM last: an entry without a sum matches no module, and one
 * with a sum never changes.  Entries are not freed; an offset for which TRIES of them in a
 * row are taken has no name. */
struct entry {
	uint64_t key;     /* the offset and 1; 0: free */
	uint64_t sum;     /* the module's; 0: unfinished */
	const char *name; /* NULL: nobody knows */
	uint64_t start;
	uint64_t size;
	uint32_t flags;
};

static struct memory {
	struct entry entry[SLOTS];
	size_t used;
	char name[ROOM];
} *memory;

/* The end of the time in which a crash's report may read files; 0: no report is written. */
static uint64_t report_until;

/* Bytes of names. */
static size_t room(void)
{
	return wcm__slab_is_bounded() ? ROOM / 16 : ROOM;
}

static struct memory *get_memory(void)
{
	const size_t size = offsetof(struct memory, name) + room();
	struct memory *known = __atomic_load_n(&memory, __ATOMIC_ACQUIRE), *made;

	if (known || !(made = wcm__map_sparse(size)))
		return known;
	if (__atomic_compare_exchange_n(&memory, &known, made, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return made;
	wcm__unmap(made, size);
	return known;
}

/* What the module of ADDRESS begins with, and the code there; 0 where it has gone. */
static uint64_t add_contents(uint64_t sum, uintptr_t address)
{
	char bytes[HEAD];
	uintptr_t lo, hi;

	if (!wcm__linked_find_bounds(address, &lo, &hi) ||
	    !wcm__read_memory(lo, bytes, sizeof(bytes)))
		return 0;
	sum = wcm__module_hash(sum, bytes, sizeof(bytes));
	return wcm__read_memory(address, bytes, SOME_CODE) ?
		       wcm__module_hash(sum, bytes, SOME_CODE) : sum;
}

/* A sum of what tells SYMBOL's module from another that may be loaded at its addresses
 * later: path and build-id or, without one, what is at ADDRESS.  0 if the module has gone. */
static uint64_t sum_of(const struct wcm_symbol *symbol, uintptr_t address)
{
	const uint64_t sum = wcm__module_hash(WCM_MODULE_HASH, symbol->module,
					      strlen(symbol->module));
	char id[LONGEST_ID];

	if (symbol->build_id_size == 0 || symbol->build_id_size > sizeof(id))
		return add_contents(sum, address);
	return wcm__read_memory((uintptr_t)symbol->build_id, id,
				symbol->build_id_size) ?
		       wcm__module_hash(sum, id, symbol->build_id_size) : 0;
}

static size_t slot_of(uint64_t offset)
{
	return (size_t)((offset + 1) * UINT64_C(0x9e3779b97f4a7c15) >>
			(64 - SLOT_BITS));
}

static const struct entry *find(uint64_t offset, uint64_t sum)
{
	size_t slot = slot_of(offset);

	for (int i = 0; i < TRIES; i++, slot = (slot + 1) % SLOTS) {
		const struct entry *entry = &memory->entry[slot];
		const uint64_t key = __atomic_load_n(&entry->key, __ATOMIC_RELAXED);

		if (key == 0)
			break;
		if (key == offset + 1 &&
		    __atomic_load_n(&entry->sum, __ATOMIC_ACQUIRE) == sum)
			return entry;
	}
	return NULL;
}

/* The first slot that is free.  One that a thread left unfinished, when its handler jumped
 * away, stays so: it is lost, and harmless. */
static struct entry *take_slot(uint64_t offset)
{
	size_t slot = slot_of(offset);

	for (int i = 0; i < TRIES; i++, slot = (slot + 1) % SLOTS) {
		struct entry *entry = &memory->entry[slot];
		uint64_t free = 0;

		if (__atomic_compare_exchange_n(&entry->key, &free, offset + 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return entry;
	}
	return NULL;
}

static const struct entry *remember(uint64_t offset, uint64_t sum,
				    const struct entry *answer)
{
	struct entry *entry = take_slot(offset);

	if (!entry)
		return NULL;
	entry->name = answer->name;
	entry->start = answer->start;
	entry->size = answer->size;
	entry->flags = answer->flags;
	__atomic_store_n(&entry->sum, sum, __ATOMIC_RELEASE);
	return entry;
}

static const char *keep(const char *name)
{
	const size_t size = strlen(name) + 1;
	size_t at = __atomic_load_n(&memory->used, __ATOMIC_RELAXED);

	do
		if (size > room() - at)
			return NULL;
	while (!__atomic_compare_exchange_n(&memory->used, &at, at + size, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return memcpy(memory->name + at, name, size);
}

/* The module that holds ADDRESS, if it has no table. */
static bool find_module(struct wcm_module *module, uintptr_t address)
{
	enum wcm_module_state state;
	const struct wcm_known_module *known = wcm__modules_find(address, &state);

	if (!known)
		return wcm__module_find_live(module, address);
	*module = known->map;
	return state == WCM_MODULE_LOADED && !wcm__module_table(known);
}

/* The function that SEARCH has found has an entry at its start, which holds its name.  The
 * other addresses in the function refer to that copy. */
static const struct entry *remember_function(const struct wcm_symtab_search *search,
					     const struct wcm_symbol *symbol)
{
	const uint64_t sum = sum_of(symbol, search->module->bias + search->value);
	const struct entry *known = find(search->value, sum);
	const struct entry answer = {
		.name = known ? known->name : keep(search->name),
		.start = search->value,
		.size = search->size,
		.flags = (search->ifunc ? WCM_SYMBOL_IFUNC : 0) | search->part |
			 (search->unsized ? WCM_SYMBOL_UNSIZED : 0),
	};

	return known ? known : remember(search->value, sum, &answer);
}

/* Ask the file.  Signals are blocked: a handler that jumps away would leave it open.  In
 * a crash, those that are fatal are already. */
__attribute__((noinline)) static const struct entry *
look_up(const struct wcm_symbol *symbol, uintptr_t address, uint64_t sum, bool for_report)
{
	const uint64_t mask = wcm__mask_add(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	struct wcm_symtab_search *search = wcm__map_sparse(sizeof(*search));
	static const struct entry unknown;
	const struct entry *found = &unknown;
	struct wcm_module module;

	if (search)
		search->only_executable = for_report;
	if (search && find_module(&module, address) &&
	    wcm__symtab_find(search, &module, symbol->module_offset))
		found = remember_function(search, symbol);
	/* Another file would not have been opened for a report. */
	if (search && found && found->key != symbol->module_offset + 1 &&
	    (found != &unknown || !for_report))
		found = remember(symbol->module_offset, sum, found);
	if (search)
		wcm__unmap(search, sizeof(*search));
	wcm__mask_set(mask);
	return search ? found : NULL;
}

static enum wcm_status peek(const struct wcm_known_module *known, uintptr_t address,
			    struct wcm_symbol *symbol, bool for_report)
{
	enum wcm_status status = wcm__symbol_peek_in(known, address, symbol);
	const struct entry *entry;
	uint64_t sum;

	if (status != WCM_ENOSYMS || !symbol->module ||
	    (symbol->flags & WCM_SYMBOL_UNLOADED) || !get_memory() ||
	    (sum = sum_of(symbol, address)) == 0)
		return status;
	entry = find(symbol->module_offset, sum);
	if (!entry)
		entry = look_up(symbol, address, sum, for_report);
	if (!entry || !entry->name)
		return status;
	symbol->name = entry->name;
	symbol->offset = symbol->module_offset - entry->start;
	symbol->address = address - symbol->offset;
	symbol->size = entry->size;
	symbol->flags |= entry->flags;
	return WCM_OK;
}

enum wcm_status wcm__dlopen_names_peek(uintptr_t address,
				       struct wcm_symbol *symbol)
{
	return peek(NULL, address, symbol, false);
}

void wcm__dlopen_names_for_report(uint64_t until)
{
	__atomic_store_n(&report_until, until, __ATOMIC_RELAXED);
}

bool wcm__dlopen_names_are_for_report(void)
{
	const uint64_t until = __atomic_load_n(&report_until, __ATOMIC_RELAXED);

	return until != 0 && wcm__clock_ns() < until;
}

enum wcm_status wcm__dlopen_names_peek_for_report(const struct wcm_known_module *known,
						  uintptr_t address,
						  struct wcm_symbol *symbol)
{
	return wcm__dlopen_names_are_for_report() ? peek(known, address, symbol, true)
						  : wcm__symbol_peek_in(known, address, symbol);
}

bool wcm__dlopen_names_value(const struct wcm_module *module, const char *name,
			     uintptr_t *value)
{
	struct wcm_symtab_search *search = wcm__map_sparse(sizeof(*search));
	struct wcm_module mapped; /* MODULE's build-id may be a copy, which is in no file */
	bool found;

	if (!search)
		return false;
	search->only_executable = true;
	found = wcm__module_find_live(&mapped, module->text_lo) &&
		wcm__symtab_find_name(search, &mapped, name);
	if (found)
		*value = module->bias + search->value;
	wcm__unmap(search, sizeof(*search));
	return found;
}
