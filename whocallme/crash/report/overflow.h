/* SPDX-License-Identifier: MIT */
/* overflow.h (SAFE) - tells whether a fault was a stack overflow. */
#ifndef WCM_REPORT_OVERFLOW_H
#define WCM_REPORT_OVERFLOW_H

#include "crash/report/address.h"

/* Whether the access that the kernel refused was one below the stack that is in use: OWN is
 * wcm__stack_top(), UCONTEXT what the signal's handler was given.  Then *SIZE is how large that
 * stack can be, 0 if unknown.  PLACES are found where pages do not tell, as they do of the
 * thread's own stack. */
bool wcm__overflow_find(struct wcm_places *places, uintptr_t own, const void *ucontext,
			uint64_t *size);

#endif
