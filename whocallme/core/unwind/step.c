/* SPDX-License-Identifier: MIT */
/* step.c (SAFE) - applies a compact rule: the one place that checks a frame.
 *
 * Every way to unwind - frame pointer, CFI row, PLT stub - answers the same
 * question, "where did this function leave its caller?", in a struct wcm_rule.
 * This file alone acts on the answer, so the checks that keep a damaged stack
 * from harming us are written once.
 */
#include "core/unwind/step.h"

#include "core/arch/arch.h"
#include "core/unwind/changed_return.h"

/* A caller's frame lies above its callee's.  Insisting on it bounds the walk by
 * the stack's size and turns a cycle into a plain stop.  Only a leaf, whose
 * return address is still in a register, may own no stack at all. */
static bool frame_moves_up(const struct wcm_regs *regs,
			   const struct wcm_rule *rule, uintptr_t cfa)
{
	return cfa % sizeof(uintptr_t) == 0 &&
	       (cfa > regs->sp || (cfa == regs->sp && !rule->ra_saved));
}

enum wcm_stop wcm__step(struct wcm_regs *regs, const struct wcm_rule *rule,
			const struct wcm_span *stack)
{
	uintptr_t base = rule->base == WCM_BASE_FP ? regs->fp : regs->sp;
	uintptr_t cfa = base + (uintptr_t)(intptr_t)rule->cfa_off;
	uintptr_t ra = regs->lr, fp = regs->fp;

	if (rule->base == WCM_BASE_NONE)
		return WCM_STOP_OUTERMOST;
	if (!frame_moves_up(regs, rule, cfa))
		return WCM_STOP_BAD_FRAME;
	if (rule->ra_saved &&
	    !wcm__read_word(stack, cfa + (uintptr_t)(intptr_t)rule->ra_off, &ra))
		return WCM_STOP_UNREADABLE;
	if (rule->fp_saved &&
	    !wcm__read_word(stack, cfa + (uintptr_t)(intptr_t)rule->fp_off, &fp))
		return WCM_STOP_UNREADABLE;
	ra = wcm__return_true(wcm__arch_strip(ra), cfa);
	if (ra == 0) /* on a stack: where it was started, there is no return */
		return rule->ra_saved ? WCM_STOP_OUTERMOST : WCM_STOP_BAD_FRAME;

	/* lr belonged to the innermost frame; using it twice would loop. */
	*regs = (struct wcm_regs){ .pc = ra, .sp = cfa, .fp = fp };
	return WCM_STOP_NONE;
}
