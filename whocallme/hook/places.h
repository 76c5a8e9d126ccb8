/* SPDX-License-Identifier: MIT */
/* places.h - what was at an address, for when its module is gone? */
#ifndef WCM_HOOK_PLACES_H
#define WCM_HOOK_PLACES_H

#include <stddef.h>
#include <stdint.h>

struct wcm_place {
	const char *name;   /* or NULL */
	const char *module;
	uint64_t offset;    /* there */
	char text[];
};

/* Memory for places, all of them forgotten at once. */
struct wcm_places {
	char *memory; /* the piece that is in use */
	size_t used;
};

/* What is at FUNC, where nobody may know later; else, or without memory, NULL.  It is
 * never changed. */
const struct wcm_place *wcm__places_note(struct wcm_places *places, uintptr_t func);

#endif
