/* SPDX-License-Identifier: MIT */
/* recorded_modules.c (SAFE) - keeps which modules a trace has named, and which of them were called.
 *
 * A module is looked up at a function's first call in it.  A thread remembers the modules of
 * its last calls, so that most calls compare two numbers; for a module that can be unloaded,
 * its id is checked.
 */
#include "trace/names/recorded_modules.h"

#include <string.h>

#include "core/modules/module_id.h"
#include "core/modules/modules.h"
#include "core/os/mask.h"
#include "core/symbols/slot_names.h"

enum { MOST = 4096 };

static struct recorded {
	uintptr_t lo, hi;
	uint64_t fingerprint;
	bool filled, called, first;
} recorded[MOST];
static unsigned claimed;
static void (*tell_module)(uint64_t now, const struct wcm_module *module);

static unsigned count(void)
{
	unsigned all = __atomic_load_n(&claimed, __ATOMIC_ACQUIRE);

	return all < MOST ? all : MOST;
}

/* The latest that was at ADDRESS, if it is the one with this fingerprint. */
static struct recorded *find(uintptr_t address, uint64_t fingerprint)
{
	for (unsigned i = count(); i-- > 0;)
		if (__atomic_load_n(&recorded[i].filled, __ATOMIC_ACQUIRE) &&
		    address >= recorded[i].lo && address < recorded[i].hi)
			return recorded[i].fingerprint == fingerprint
				       ? &recorded[i]
				       : NULL;
	return NULL;
}

static bool note(const struct wcm_module *module, uint64_t fingerprint, bool first)
{
	unsigned index = __atomic_fetch_add(&claimed, 1, __ATOMIC_ACQ_REL);

	if (index >= MOST)
		return false;
	recorded[index].lo = module->lo;
	recorded[index].hi = module->hi;
	recorded[index].fingerprint = fingerprint;
	recorded[index].first = first;
	recorded[index].called = !first;
	__atomic_store_n(&recorded[index].filled, true, __ATOMIC_RELEASE);
	return true;
}

/* A function at ADDRESS of MODULE is called.  A handler that comes in between could note
 * the same module. */
static void note_call(const struct wcm_module *module, uint64_t fingerprint,
		      uintptr_t address, uint64_t now)
{
	struct recorded *known = find(address, fingerprint);
	struct wcm_unheard unheard;
	uint64_t mask;

	if (known) {
		__atomic_store_n(&known->called, true, __ATOMIC_RELAXED);
		return;
	}
	mask = wcm__mask_set(WCM_MASK_ALL);
	unheard = wcm__mask_hush();
	if (note(module, fingerprint, false))
		tell_module(now, module);
	wcm__mask_hear(unheard, true);
	wcm__mask_set(mask);
}

void wcm__recorded_add(const struct wcm_known_module *module)
{
	note(&module->map, module->fingerprint, true);
}

bool wcm__recorded_is_first(uintptr_t address)
{
	unsigned i = count();

	while (i > 0 && (!__atomic_load_n(&recorded[i - 1].filled, __ATOMIC_ACQUIRE) ||
			 address < recorded[i - 1].lo || address >= recorded[i - 1].hi))
		i--;
	return i > 0 && recorded[i - 1].first;
}

static void remember_permanent(struct wcm_recorded_last *last, uintptr_t lo,
			       uintptr_t size, bool is_first)
{
	last->before_lo = last->lo;
	last->before_size = last->size;
	last->before_is_first = last->is_first;
	last->lo = lo;
	last->size = size;
	last->is_first = is_first;
}

void wcm__recorded_note_module(struct wcm_recorded_last *last,
			       uintptr_t address, uint64_t now)
{
	const struct wcm_known_module *known;
	const struct wcm_slot_names *made_up;
	struct wcm_module module;
	uint64_t fingerprint;

	if (address - last->before_lo < last->before_size) {
		remember_permanent(last, last->before_lo, last->before_size,
				   last->before_is_first);
		return;
	}
	if (last->unloadable && wcm__module_id_holds(last->unloadable, address))
		return;
	known = wcm__modules_find_loaded(address);
	made_up = known ? NULL : wcm__slot_names_made_up(address);
	if (made_up) {
		note_call(made_up->place, 0, address, now);
		remember_permanent(last, made_up->place->lo,
				   made_up->place->hi - made_up->place->lo,
				   wcm__recorded_is_first(address));
		return;
	}
	if (known) {
		module = known->map;
		fingerprint = known->fingerprint;
	} else {
		if (!wcm__module_find_live(&module, address) || !module.path)
			return;
		fingerprint = wcm__module_fingerprint(&module);
	}
	note_call(&module, fingerprint, address, now);
	if (known && known->permanent)
		remember_permanent(last, known->map.lo, known->map.hi - known->map.lo,
				   wcm__recorded_is_first(address));
	else
		last->unloadable = wcm__module_id(address);
}

bool wcm__recorded_is_called(const struct wcm_known_module *module)
{
	for (unsigned i = count(); i-- > 0;)
		if (__atomic_load_n(&recorded[i].filled, __ATOMIC_ACQUIRE) &&
		    recorded[i].lo == module->map.lo &&
		    recorded[i].fingerprint == module->fingerprint &&
		    __atomic_load_n(&recorded[i].called, __ATOMIC_RELAXED))
			return true;
	return false;
}

void wcm__recorded_begin(void (*tell)(uint64_t now,
				      const struct wcm_module *module))
{
	tell_module = tell;
	memset(recorded, 0, sizeof(recorded));
	claimed = 0;
}
