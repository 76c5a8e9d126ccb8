/* SPDX-License-Identifier: MIT */
/* stacks.h - which machine stack is this, and which open call's frame is next? */
#ifndef WCM_HOOK_STACKS_H
#define WCM_HOOK_STACKS_H

#include "hook/shadow.h"

/* Make the shadow of the stack that AT stands on TRACER's, CFA being the frame's:
 * that of another stack, a new one, or the one that is.  Returns how many of its
 * calls are known to be open still: those whose frames are above CFA. */
uint32_t wcm__stacks_find(struct wcm_tracer *tracer, const struct wcm_regs *at,
			  uintptr_t cfa);

/* Make room for more calls on SHADOW, all of whose room is taken.  False where there
 * is no memory, or that many calls are taken for a loop. */
bool wcm__stacks_grow(struct wcm_shadow *shadow);

/* Use a stack of TRACER's other than the one in use, if SP is on one. */
bool wcm__stacks_switch(struct wcm_tracer *tracer, uintptr_t sp);

#endif
