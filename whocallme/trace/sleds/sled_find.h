/* SPDX-License-Identifier: MIT */
/* sled_find.h (SAFE) - finds the sleds of a module. */
#ifndef WCM_SLED_SLED_FIND_H
#define WCM_SLED_SLED_FIND_H

#include "trace/sleds/sled_module.h"

/* Find those of the module that SLEDS->map describes; KNOWN, unless NULL, has its functions.
 * It may have been mapped just now, and not be relocated.  False: no memory.  One thread at
 * a time; signal-safe. */
bool wcm__sleds_of(struct wcm_sled_module *sleds, const struct wcm_known_module *known);

#endif
