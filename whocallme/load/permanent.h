/* SPDX-License-Identifier: MIT */
/* permanent.h - tells which modules can never be unloaded. */
#ifndef WCM_LOAD_PERMANENT_H
#define WCM_LOAD_PERMANENT_H

#include <stddef.h>

#include "core/modules/modules.h"

/* Mark, of the COUNT modules that are loaded, the first being the executable,
 * those that it needs, directly or not: they stay for the process's life, so a
 * look-up need not ask whether they are still there. */
void wcm__mark_permanent(struct wcm_known_module *const *module, size_t count);

#endif
