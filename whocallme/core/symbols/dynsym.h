/* SPDX-License-Identifier: MIT */
/* dynsym.h - names from an object's own mapped .dynsym. */
#ifndef WCM_SYMBOLS_DYNSYM_H
#define WCM_SYMBOLS_DYNSYM_H

#include "symbols/modules.h"

/* A function of DYNSYM. */
struct wcm_dynsym_function {
	const char *name;
	uint64_t value, size; /* st_value, st_size */
	bool ifunc;
};

/* The function that holds OFFSET, an address in the object's own numbering. */
bool wcm__dynsym_find(const struct wcm_dynsym *dynsym, uint64_t offset,
		      struct wcm_dynsym_function *function);

/* The st_value of what is defined under NAME. */
bool wcm__dynsym_value(const struct wcm_dynsym *dynsym, const char *name,
		       uint64_t *value);

/* Whether an object that stays mapped meanwhile has another one define NAME. */
bool wcm__dynsym_wants(const struct wcm_dynsym *dynsym, const char *name);

#endif
