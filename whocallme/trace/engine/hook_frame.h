/* SPDX-License-Identifier: MIT */
/* hook_frame.h (SAFE) - finds the frame of the function that called a hook.
 *
 * A call is known by its canonical frame address: no two open calls have the same one,
 * except functions that are inlined into one another.
 */
#ifndef WCM_FRAME_HOOK_FRAME_H
#define WCM_FRAME_HOOK_FRAME_H

#include "core/unwind/rule_cache.h"
#include "core/unwind/walk.h"

/* The CFA of the function that stands at AT, which it cannot do without; where
 * nothing describes it, its stack pointer: lower, but above its callees' frames. */
uintptr_t wcm__hook_frame_find(const struct wcm_regs *at);

/* The same from what is remembered, where it should be, of code that stays.  False where
 * nothing is. */
static inline bool wcm__hook_frame_peek(const struct wcm_regs *at,
					uintptr_t *cfa)
{
	const struct wcm_rules rules = wcm__lasting_rules();
	uint64_t rule;

	if ((uint64_t)at->pc >> WCM_RULE_PC_BITS != 0)
		return false;
	rule = wcm__rule_peek(&rules, at->pc) ^ wcm__rule_key(at->pc);
	if ((rule & rules.foreign) != 0)
		return false;
	*cfa = (rule & WCM_RULE_BY_FP ? at->fp : at->sp) +
	       (uintptr_t)(rule & WCM_RULE_CFA) * sizeof(uintptr_t);
	return (rule & WCM_RULE_CFA) != 0 && *cfa > at->sp;
}

/* Have WALK stand at AT, which is a few frames up from here.  False where it does
 * not get there. */
bool wcm__hook_frame_walk(struct wcm_walk *walk, const struct wcm_regs *at);

#endif
