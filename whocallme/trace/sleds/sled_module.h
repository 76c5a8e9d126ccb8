/* SPDX-License-Identifier: MIT */
/* sled_module.h (SAFE) - a sled, and the sleds of a module. */
#ifndef WCM_SLED_SLED_MODULE_H
#define WCM_SLED_SLED_MODULE_H

#include "core/arch/arch.h"
#include "core/modules/modules.h"

struct wcm_sled {
	uintptr_t at;    /* where its NOPs begin */
	uintptr_t func;  /* the function's address */
	uint8_t size;    /* bytes, from there to its end */
	uint8_t returns; /* to the return address of its call */
	uint8_t entry;   /* to where the function goes through it */
	bool at_entry;   /* the function has changed nothing yet */
	bool is_named;   /* a symbol says that FUNC begins there */
	bool is_library; /* it is no function's, but of what calls one of another module */
	bool opens;      /* that one loads libraries */
	bool was_called; /* that one, since its calls are traced */
	bool is_silent;  /* that is not to return elsewhere: it tells nothing of its end */
	uint8_t nops[WCM_SLED_MOST]; /* what the file has there */
};

/* Where its call returns to, or jumps to then. */
static inline uintptr_t wcm__sled_end(const struct wcm_sled *sled)
{
	return sled->at + sled->size;
}

/* What a library's sled leads to is called: noted by one store, at the first call. */
static inline void wcm__sled_note_library(const struct wcm_sled *sled)
{
	if (!sled->was_called)
		((struct wcm_sled *)(uintptr_t)sled)->was_called = true;
}

/* Whether its call is in front of the function. */
static inline bool wcm__sled_is_front(const struct wcm_sled *sled)
{
	return sled->at < sled->func;
}

/* The sleds of one module, ascending. */
struct wcm_sled_module {
	struct wcm_sled_module *next;
	struct wcm_module map; /* without its path */
	uint64_t identity;     /* tells it from another at the same address */
	bool is_loaded;        /* else there is other code, or none */
	bool is_on;            /* its sleds are calls, or may be */
	bool is_told;          /* of: it has no jump */
	uintptr_t jump;        /* that leads to the entry, or the stubs, which do; 0: there is none
				* in reach */
	struct wcm_sled *sled;
	size_t count, room;
	size_t mislisted; /* of its list, where nothing says that a function begins: no sleds */
};

#endif
