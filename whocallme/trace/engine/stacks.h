/* SPDX-License-Identifier: MIT */
/* stacks.h (SAFE) - the machine stacks of a thread: finds the one that an event is on. */
#ifndef WCM_PROBE_STACKS_H
#define WCM_PROBE_STACKS_H

#include "trace/engine/tracer.h"

/* A stack that is met for the first time.  SHADOW may have calls of another one. */
struct wcm_new_stack {
	struct wcm_shadow *shadow;
	uintptr_t lo, hi;
	uint32_t base;
	bool alternate;
	bool is_whole; /* HI is where it begins */
};

/* Use the shadow of the stack that AT stands on, CFA being the frame's: that of another
 * stack, or the one that is.  Returns how many of its calls are known to be open still:
 * those whose frames are above CFA.  A stack that has none is what MADE becomes, to be
 * begun when the calls of MADE->shadow are closed. */
uint32_t wcm__stacks_find(struct wcm_tracer *tracer, const struct wcm_regs *at,
			  uintptr_t cfa, struct wcm_new_stack *made);

/* Use MADE, on which no call is open. */
void wcm__stacks_begin(struct wcm_tracer *tracer, const struct wcm_new_stack *made);

/* Make room for more calls on SHADOW, all of whose room is taken.  False where there
 * is no memory, or that many calls are taken for a loop. */
bool wcm__stacks_grow(struct wcm_shadow *shadow);

/* Use a stack of TRACER's other than the one in use, if SP is on one. */
bool wcm__stacks_switch(struct wcm_tracer *tracer, uintptr_t sp);

#endif
