/* SPDX-License-Identifier: MIT */
/* guest.h - which module, of those that can be unloaded, is running? */
#ifndef WCM_HOOK_GUEST_H
#define WCM_HOOK_GUEST_H

#include "symbols/modules.h"

/* The module that holds PC, code that is on the stack now, where it is known for sure
 * to be that; else NULL. */
const struct wcm_known_module *wcm__guest_find(uintptr_t pc);

#endif
