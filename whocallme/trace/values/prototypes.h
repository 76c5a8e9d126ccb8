/* SPDX-License-Identifier: MIT */
/* prototypes.h (SAFE) - what well-known library functions are given, and what they give back. */
#ifndef WCM_VALUES_PROTOTYPES_H
#define WCM_VALUES_PROTOTYPES_H

#include <stdint.h>

/* The codes of the library function NAME, as prototype.h has them; NULL: it is not known. */
const char *wcm__prototypes_find(const char *name);

/* The table, made at build time: where a function's name and its codes begin. */
struct wcm_prototype_entry {
	uint16_t name, codes;
};

extern const struct wcm_prototype_entry wcm__prototypes[]
	__attribute__((visibility("hidden")));
extern const unsigned wcm__prototypes_count __attribute__((visibility("hidden")));
extern const char wcm__prototype_names[] __attribute__((visibility("hidden")));
extern const char wcm__prototype_codes[] __attribute__((visibility("hidden")));

#endif
