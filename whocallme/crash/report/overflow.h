/* SPDX-License-Identifier: MIT */
/* overflow.h - tells whether a fault was a stack overflow. */
#ifndef WCM_REPORT_OVERFLOW_H
#define WCM_REPORT_OVERFLOW_H

#include "crash/report/address.h"

/* Whether an access to FAULT, which the kernel refused, was one below the stack
 * that is in use: SP is the place of the stack pointer, OWN wcm__stack_top(), UCONTEXT
 * what the signal's handler was given.  Then *SIZE is how large that stack can be, 0 if
 * unknown. */
bool wcm__overflow_find(const struct wcm_location *fault, const struct wcm_location *sp,
			uintptr_t own, const void *ucontext, uint64_t *size);

#endif
