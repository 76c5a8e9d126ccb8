/* SPDX-License-Identifier: MIT */
/* unloadable.h - finds the module of running code, of those that can be unloaded. */
#ifndef WCM_NAMES_UNLOADABLE_H
#define WCM_NAMES_UNLOADABLE_H

#include "core/symbols/modules.h"

/* The module that holds PC, code that is on the stack now, where it is known for sure
 * to be that; else NULL. */
const struct wcm_known_module *wcm__unloadable_find(uintptr_t pc);

#endif
