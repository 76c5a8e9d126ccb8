/* SPDX-License-Identifier: MIT */
/* places.h - what was at an address, for when its module is gone? */
#ifndef WCM_HOOK_PLACES_H
#define WCM_HOOK_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_place {
	const char *name;   /* or NULL */
	const char *module;
	uint64_t offset;    /* there */
	const struct wcm_place_head *head; /* the module's, or NULL */
	uintptr_t func;
	char text[];
};

enum { WCM_PLACE_WORDS = 128 };

/* What a module is known by. */
struct wcm_place_head {
	const struct wcm_place_head *next;
	uintptr_t lo, size;
	uint64_t word[WCM_PLACE_WORDS]; /* what it begins with */
};

/* Memory for places, all of them forgotten at once. */
struct wcm_places {
	char *memory; /* the piece that is in use */
	size_t used;
	const struct wcm_place_head *head; /* of all modules, one each */
};

/* What is at FUNC, where nobody may know later; else, or without memory, NULL.  It is
 * never changed. */
const struct wcm_place *wcm__places_note(struct wcm_places *places, uintptr_t func);

/* Whether FUNC, which is called by FROM, is what it was when PLACE was noted. */
bool wcm__place_is_there(const struct wcm_place *place, uintptr_t from, uintptr_t func);

/* Whether the module that holds FUNC, which is being called, has HEAD. */
bool wcm__place_is_in(const struct wcm_place_head *head, uintptr_t func);

/* Whether two are of one function. */
bool wcm__places_are_equal(const struct wcm_place *a, const struct wcm_place *b);

#endif
