/* SPDX-License-Identifier: MIT */
/* overflow.h - was the stack too small? */
#ifndef WCM_CRASH_OVERFLOW_H
#define WCM_CRASH_OVERFLOW_H

#include "crash/address.h"

/* Whether an access to FAULT, which the kernel refused, was one below the stack
 * that is in use: SP is the place of the stack pointer, OWN wcm__stack_top(), UCONTEXT
 * what the signal's handler was given.  Then *SIZE is how large that stack can be, 0 if
 * unknown. */
bool wcm__overflow_find(const struct wcm_place *fault, const struct wcm_place *sp,
			uintptr_t own, const void *ucontext, uint64_t *size);

#endif
