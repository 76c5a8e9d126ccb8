/* SPDX-License-Identifier: MIT */
/* noted.c - which modules have come since the session began? */
#include "hook/noted.h"

#include <string.h>

#include "crash/mask.h"
#include "hook/recording.h"
#include "symbols/modules.h"

enum { MOST = 1024, PATHS_ROOM = 64 << 10 };

static struct {
	uintptr_t lo, hi;
	uint64_t fingerprint;
	uint32_t path; /* where it is in PATHS, from 1 */
	bool filled;
} noted[MOST];
static unsigned claimed;
static char paths[PATHS_ROOM];
static uint32_t paths_used;

static unsigned count(void)
{
	unsigned all = __atomic_load_n(&claimed, __ATOMIC_ACQUIRE);

	return all < MOST ? all : MOST;
}

/* The latest that was at ADDRESS is the one with this fingerprint. */
static bool is_noted(uintptr_t address, uint64_t fingerprint)
{
	for (unsigned i = count(); i-- > 0;)
		if (__atomic_load_n(&noted[i].filled, __ATOMIC_ACQUIRE) &&
		    address >= noted[i].lo && address < noted[i].hi)
			return noted[i].fingerprint == fingerprint;
	return false;
}

static uint32_t keep_path(const char *path)
{
	uint32_t size = (uint32_t)strlen(path) + 1;
	uint32_t at = __atomic_fetch_add(&paths_used, size, __ATOMIC_RELAXED);

	if (at > PATHS_ROOM - size || size > PATHS_ROOM)
		return 0;
	memcpy(paths + at, path, size);
	return at + 1;
}

static void note(const struct wcm_module *module, uint64_t fingerprint, uint64_t now)
{
	unsigned index = __atomic_fetch_add(&claimed, 1, __ATOMIC_ACQ_REL);

	if (index >= MOST)
		return;
	noted[index].lo = module->lo;
	noted[index].hi = module->hi;
	noted[index].fingerprint = fingerprint;
	noted[index].path = keep_path(module->path);
	__atomic_store_n(&noted[index].filled, true, __ATOMIC_RELEASE);
	wcm__recording_add_module(now, module);
}

/* A handler that comes in between could note the same module. */
static void note_masked(const struct wcm_module *module, uint64_t fingerprint,
			uint64_t now)
{
	uint64_t mask = wcm__mask_set(WCM_MASK_ALL);

	note(module, fingerprint, now);
	wcm__mask_forget(WCM_MASK_WRITING);
	wcm__mask_set(mask);
}

static const uint64_t *head_at(uintptr_t lo)
{
	return (const uint64_t *)lo;
}

/* Headers, and mostly the build-id: a whole fingerprint at each call would take far
 * too long.  The page is there, for the function that is being called is. */
static bool is_last(const struct wcm_noted_last *last, uintptr_t address)
{
	uint64_t difference = 0;
	uintptr_t lo, hi;

	if (address - last->lo >= last->size ||
	    !wcm__modules_find_place(address, &lo, &hi) || lo != last->lo ||
	    hi - lo != last->size)
		return false;
	for (int i = 0; i < WCM_HEAD_WORDS; i++)
		difference |= last->head[i] ^ head_at(lo)[i];
	return difference == 0;
}

static void remember(struct wcm_noted_last *last, uintptr_t address)
{
	uintptr_t lo, hi;

	last->permanent = false;
	last->size = 0;
	if (!wcm__modules_find_place(address, &lo, &hi))
		return;
	last->lo = lo;
	last->size = hi - lo;
	for (int i = 0; i < WCM_HEAD_WORDS; i++)
		last->head[i] = head_at(lo)[i];
}

void wcm__note_module(struct wcm_noted_last *last, uintptr_t address, uint64_t now)
{
	const struct wcm_known_module *known;
	struct wcm_module module;
	uint64_t fingerprint;

	if (is_last(last, address))
		return;
	known = wcm__modules_find_loaded(address);
	if (known && known->permanent) {
		last->lo = known->map.lo;
		last->size = known->map.hi - known->map.lo;
		last->permanent = true;
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
	if (!is_noted(address, fingerprint))
		note_masked(&module, fingerprint, now);
	remember(last, address);
}

bool wcm__noted_get(unsigned index, struct wcm_noted_module *module)
{
	if (index >= count())
		return false;
	module->lo = noted[index].lo;
	module->hi = noted[index].hi;
	module->fingerprint = noted[index].fingerprint;
	module->path = noted[index].filled && noted[index].path ?
			       paths + noted[index].path - 1 :
			       NULL;
	return true;
}

void wcm__noted_clear(void)
{
	memset(noted, 0, sizeof(noted));
	claimed = 0;
	paths_used = 0;
}
