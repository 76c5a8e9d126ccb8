/* SPDX-License-Identifier: MIT */
/* frame.c - where is the frame of the function that called a hook? */
#include "hook/frame.h"

#include "arch/arch.h"
#include "hook/guest_rules.h"

enum { OUR_FRAMES = 16 };

__attribute__((noinline)) bool wcm__frame_walk(struct wcm_walk *walk,
					       const struct wcm_regs *at)
{
	wcm__arch_registers_here(&walk->file);
	wcm__walk_start(walk, __builtin_return_address(0));
	for (int i = 0; i < OUR_FRAMES && walk->stop == WCM_STOP_NONE &&
			walk->regs.sp < at->sp; i++)
		wcm__walk_next(walk);
	return walk->stop == WCM_STOP_NONE && walk->regs.sp == at->sp &&
	       walk->regs.pc == at->pc;
}

/* A thread's first function may have no caller to step to; its rule tells. */
static bool find_by_walk(const struct wcm_regs *at, uintptr_t *cfa)
{
	struct wcm_walk walk;

	if (!wcm__frame_walk(&walk, at))
		return false;
	if (walk.way == WCM_WAY_RULE && walk.rule.base != WCM_BASE_NONE) {
		*cfa = (walk.rule.base == WCM_BASE_FP ? walk.regs.fp
						      : walk.regs.sp) +
		       (uintptr_t)(intptr_t)walk.rule.cfa_off;
		return *cfa > at->sp;
	}
	wcm__walk_next(&walk);
	*cfa = walk.regs.sp;
	return walk.stop == WCM_STOP_NONE && *cfa > at->sp;
}

/* In code that can be unloaded. */
static bool find_in_guest(const struct wcm_regs *at, uintptr_t *cfa)
{
	struct wcm_guest_rule guest;

	if (!wcm__guest_rule_find(&guest, at->pc - 1) ||
	    guest.rule.base == WCM_BASE_NONE)
		return false;
	*cfa = (guest.rule.base == WCM_BASE_FP ? at->fp : at->sp) +
	       (uintptr_t)(intptr_t)guest.rule.cfa_off;
	return *cfa > at->sp;
}

uintptr_t wcm__frame_find(const struct wcm_regs *at)
{
	uintptr_t cfa;

	if (__builtin_expect(wcm__frame_peek(at, &cfa), 1) ||
	    find_in_guest(at, &cfa) || find_by_walk(at, &cfa))
		return cfa;
	return at->sp;
}
