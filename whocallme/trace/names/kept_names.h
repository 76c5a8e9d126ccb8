/* SPDX-License-Identifier: MIT */
/* kept_names.h (SAFE) - keeps the name of a function for the time when its module is gone. */
#ifndef WCM_NAMES_KEPT_NAMES_H
#define WCM_NAMES_KEPT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_module_id;

struct wcm_kept_name {
	const char *name;   /* or NULL */
	const char *module;
	uint64_t offset;    /* there */
	const struct wcm_module_id *id; /* the module's, or NULL */
	uintptr_t func;
	char text[];
};

/* Memory for kept names, all of them forgotten at once. */
struct wcm_kept_names {
	char *memory; /* the piece that is in use */
	size_t used;
};

/* What is at FUNC, where nobody may know later; else, or without memory, NULL.  It is
 * never changed. */
const struct wcm_kept_name *wcm__kept_names_note(struct wcm_kept_names *kept,
						 uintptr_t func);

/* Whether FUNC, which is called by FROM, is what it was when NAME was noted. */
bool wcm__kept_name_holds(const struct wcm_kept_name *name, uintptr_t from,
			  uintptr_t func);

/* Whether two are of one function. */
bool wcm__kept_names_are_equal(const struct wcm_kept_name *a,
			       const struct wcm_kept_name *b);

#endif
