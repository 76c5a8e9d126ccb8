/* SPDX-License-Identifier: MIT */
/* inlined.h (SAFE) - tells whether a function is inlined where its hook is called from. */
#ifndef WCM_FRAME_INLINED_H
#define WCM_FRAME_INLINED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether PC, where the hook of FUNC is called, lies in another function's code. */
bool wcm__inlined_at(uintptr_t pc, uintptr_t func);

#endif
