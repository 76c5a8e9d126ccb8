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
	wcm__recording_add_module(now, module->lo, module->path);
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

void wcm__note_module(uintptr_t address, uint64_t now, uintptr_t *lo, uintptr_t *size)
{
	const struct wcm_known_module *known = wcm__modules_find_loaded(address);
	struct wcm_module module;
	uint64_t fingerprint;

	if (known && known->permanent) {
		*lo = known->map.lo;
		*size = known->map.hi - known->map.lo;
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
