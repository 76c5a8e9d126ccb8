/* SPDX-License-Identifier: MIT */
/* jit_names.h (SAFE) - names code that a run-time has made, by the files that it writes for
 * perf(1). */
#ifndef WCM_SYMBOLS_JIT_NAMES_H
#define WCM_SYMBOLS_JIT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "whocallme/symbol.h"

/* Find the function at ADDRESS, which is in no module.  SYMBOL's name lives until 64 more have
 * been found. */
bool wcm__jit_name(uintptr_t address, struct wcm_symbol *symbol);

#endif
