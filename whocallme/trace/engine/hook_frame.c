/* SPDX-License-Identifier: MIT */
/* hook_frame.c (SAFE) - finds the frame of the function that called a hook.
 *
 * The rule of most functions is found in the rule cache.  A function that has none there is
 * walked to from the hook's own frame.
 */
#include "trace/engine/hook_frame.h"

#include "core/arch/arch.h"
#include "trace/engine/unloadable_rules.h"

enum {
	OUR_FRAMES = 16,
	OURS = 32 * 1024, /* bytes of them, at most */
};

__attribute__((noinline)) bool wcm__hook_frame_walk(struct wcm_walk *walk,
						    const struct wcm_regs *at)
{
	/* On a stack of the library's own, from which no step leads to AT's. */
	if (at->sp - (uintptr_t)__builtin_frame_address(0) > OURS) {
		wcm__walk_start_at(walk, at);
		return walk->stop == WCM_STOP_NONE;
	}
	wcm__arch_registers_here(&walk->file);
	wcm__walk_start(walk, __builtin_return_address(0));
	for (int i = 0; i < OUR_FRAMES && walk->stop == WCM_STOP_NONE &&
			walk->regs.sp < at->sp; i++)
		wcm__walk_next(walk);
	if (walk->stop != WCM_STOP_NONE || walk->regs.sp != at->sp)
		return false;
	if (walk->regs.pc != at->pc && walk->way == WCM_WAY_NONE)
		wcm__walk_jump(walk, at->pc); /* from a sled in front of the function */
	return walk->regs.pc == at->pc;
}

/* A thread's first function may have no caller to step to; its rule tells. */
static bool find_by_walk(const struct wcm_regs *at, uintptr_t *cfa)
{
	struct wcm_walk walk;

	if (!wcm__hook_frame_walk(&walk, at))
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

/* Anywhere in its line, in code that can be unloaded too. */
static bool recall(struct wcm_rule *rule, uintptr_t site)
{
	const struct wcm_rules rules = wcm__rules();
	struct wcm_unloadable_rule known;

	if (wcm__rule_cache_get(rule, &rules, site))
		return true;
	if (!wcm__unloadable_rule_find(&known, site))
		return false;
	*rule = known.rule;
	return true;
}

static bool find_remembered(const struct wcm_regs *at, uintptr_t *cfa)
{
	struct wcm_rule rule;

	if (!recall(&rule, at->pc - 1) || rule.base == WCM_BASE_NONE ||
	    rule.base == WCM_BASE_SIGNAL)
		return false;
	*cfa = (rule.base == WCM_BASE_FP ? at->fp : at->sp) +
	       (uintptr_t)(intptr_t)rule.cfa_off;
	return *cfa > at->sp;
}

uintptr_t wcm__hook_frame_find(const struct wcm_regs *at)
{
	uintptr_t cfa;

	if (__builtin_expect(wcm__hook_frame_peek(at, &cfa), 1) ||
	    find_remembered(at, &cfa) || find_by_walk(at, &cfa))
		return cfa;
	return at->sp;
}
