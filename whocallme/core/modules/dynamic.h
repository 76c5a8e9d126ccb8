/* SPDX-License-Identifier: MIT */
/* dynamic.h (SAFE) - finds an object's dynamic symbols, and counts them. */
#ifndef WCM_MODULES_DYNAMIC_H
#define WCM_MODULES_DYNAMIC_H

#include "core/modules/dynsym.h"
#include "core/modules/headers.h"

/* Set DYNSYM, if there is one, by the dynamic section of the object of HEADERS, which spans
 * [LO, HI). */
void wcm__dynamic_symbols(struct wcm_dynsym *dynsym, const struct wcm_headers *headers,
			  uintptr_t lo, uintptr_t hi);

#endif
