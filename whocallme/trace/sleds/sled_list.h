/* SPDX-License-Identifier: MIT */
/* sled_list.h (SAFE) - the sleds of all modules that have some. */
#ifndef WCM_SLED_SLED_LIST_H
#define WCM_SLED_SLED_LIST_H

#include "core/os/read.h"
#include "trace/sleds/sled_module.h"

/* Find the sleds of what is loaded and has not been seen.  False: no memory.  One thread at
 * a time, and none that is in a hook. */
bool wcm__sleds_find(void);

/* The same of what the dynamic linker's list has.  *IS_NEW: some module has come.
 * Signal-safe. */
bool wcm__sleds_meet(bool *is_new);

/* Forget what the dynamic linker's list no longer has; it must not be changing. */
void wcm__sleds_forget(void);

/* Whether MODULE is still loaded where it was.  Signal-safe. */
bool wcm__sleds_are_there(const struct wcm_sled_module *module);

/* The path of MODULE, for as long as it is loaded; NULL where it is in no list.  Signal-safe. */
const char *wcm__sleds_path(const struct wcm_sled_module *module);

/* The sleds of MODULE, which is in no list, are found by where their calls return to.  False:
 * no memory. */
bool wcm__sleds_list_returns(const struct wcm_sled_module *module);

/* Tells the module of MAP from another at its address; 0: nothing is there.  Signal-safe. */
uint64_t wcm__sleds_identify(const struct wcm_module *map);

/* The modules that have sleds, or NULL: follow next. */
struct wcm_sled_module *wcm__sleds_first(void);

/* The sled that holds PC, one of a module that is loaded, or NULL.  Signal-safe. */
const struct wcm_sled *wcm__sleds_at(uintptr_t pc);

/* Sleds by where their calls return to; open addressing, half full at most. */
struct wcm_sled_returns {
	size_t mask; /* slots less one */
	const struct wcm_sled *slot[];
};

extern struct wcm_sled_returns *wcm__sled_returns __attribute__((visibility("hidden")));

static inline uintptr_t wcm__sled_return_of(const struct wcm_sled *sled)
{
	return sled->at + sled->returns;
}

static inline size_t wcm__sled_return_hash(uintptr_t pc)
{
	return (size_t)((uint64_t)pc * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

/* The sled whose call returns to PC, or NULL.  Signal-safe, in a few nanoseconds. */
static inline const struct wcm_sled *wcm__sleds_returning_to(uintptr_t pc)
{
	const struct wcm_sled_returns *table =
		__atomic_load_n(&wcm__sled_returns, __ATOMIC_ACQUIRE);
	const struct wcm_sled *sled;

	for (size_t at = wcm__sled_return_hash(pc); table; at++) {
		sled = __atomic_load_n(&table->slot[at & table->mask], __ATOMIC_ACQUIRE);
		if (!sled || wcm__sled_return_of(sled) == pc)
			return sled;
	}
	return NULL;
}

/* This library's code, where it is no part of the executable: what it calls is not traced,
 * though that may be libc with sleds. */
extern struct wcm_span wcm__sleds_own_code __attribute__((visibility("hidden")));

/* sled_find.c: finds the sleds of a module. */

/* Find those of the module that SLEDS->map describes; KNOWN, unless NULL, has its functions.
 * It may have been mapped just now, and not be relocated.  False: no memory.  One thread at
 * a time; signal-safe. */
bool wcm__sleds_of(struct wcm_sled_module *sleds, const struct wcm_known_module *known);

#endif
