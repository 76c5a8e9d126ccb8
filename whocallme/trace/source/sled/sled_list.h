/* SPDX-License-Identifier: MIT */
/* sled_list.h - the sleds of all modules that have some. */
#ifndef WCM_SLED_SLED_LIST_H
#define WCM_SLED_SLED_LIST_H

#include "core/arch/arch.h"
#include "core/modules/modules.h"

struct wcm_sled {
	uintptr_t at;    /* where its NOPs begin */
	uintptr_t func;  /* the function's address */
	uint8_t size;    /* bytes */
	bool at_entry;   /* the function has changed nothing yet */
	uint8_t nops[WCM_SLED_MOST]; /* as the file has them */
};

/* The sleds of one module, ascending. */
struct wcm_sled_module {
	struct wcm_sled_module *next;
	struct wcm_known_module *known; /* which module */
	uintptr_t lo, hi;      /* of it */
	bool is_loaded;        /* else there is other code, or none */
	uintptr_t jump;        /* that leads to the entry; 0: there is none in reach */
	struct wcm_sled *sled;
	size_t count, room;
};

/* Find the sleds of what is loaded and has not been seen.  False: no memory.  One thread at
 * a time, and none that is in a hook. */
bool wcm__sleds_find(void);

/* The modules that have sleds, or NULL: follow next. */
struct wcm_sled_module *wcm__sleds_first(void);

/* The sled that holds PC, one of a module that is loaded, or NULL.  Signal-safe. */
const struct wcm_sled *wcm__sleds_at(uintptr_t pc);

/* The sled that ends at END, or NULL.  Signal-safe, in a few nanoseconds. */
const struct wcm_sled *wcm__sleds_ending_at(uintptr_t end);

#endif
