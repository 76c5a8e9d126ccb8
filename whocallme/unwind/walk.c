/* SPDX-License-Identifier: MIT */
/* walk.c - step until the outermost frame; say why it stopped.
 *
 * For each frame it asks, in this order: is it a signal's trampoline, whose
 * caller is in the machine state the kernel saved?  Is it a call to nowhere,
 * whose caller has just been pushed?  Else the frame-pointer rule decides.
 */
#include "unwind/walk.h"

#include "arch/arch.h"
#include "unwind/frame_pointer.h"
#include "unwind/stack_span.h"

static void stand_at(struct wcm_walk *walk, uint32_t flags)
{
	if (wcm__arch_is_sigreturn(walk->regs.pc))
		flags |= WCM_FRAME_SIGNAL;
	walk->frame = (struct wcm_frame){ .pc = walk->regs.pc, .flags = flags };
}

/* A frame on another stack may hold what looks like a signal frame that leads
 * back to itself; sp must rise unless the stack is left. */
static bool leads_back(const struct wcm_walk *walk, const struct wcm_regs *next)
{
	return wcm__span_holds(&walk->stack, next->sp, sizeof(uintptr_t)) &&
	       next->sp <= walk->regs.sp;
}

static void leave_signal(struct wcm_walk *walk)
{
	struct wcm_regs interrupted;
	uintptr_t context = wcm__arch_signal_context(&walk->regs);

	if (!wcm__arch_regs_from_context(&interrupted, (const void *)context)) {
		walk->stop = WCM_STOP_UNREADABLE;
		return;
	}
	if (leads_back(walk, &interrupted)) {
		walk->stop = WCM_STOP_BAD_FRAME;
		return;
	}
	walk->regs = interrupted;
	walk->stack = wcm__stack_span(interrupted.sp);
	walk->fetch_failed = wcm__arch_fetch_failed((const void *)context);
	stand_at(walk, WCM_FRAME_INTERRUPTED);
}

/* Where the fetch of the first instruction failed, the call has done no more
 * than push the return address. */
static enum wcm_stop step_wild_call(struct wcm_walk *walk)
{
	struct wcm_regs caller = walk->regs;
	enum wcm_stop stop =
		wcm__step(&caller, &wcm__arch_call_rule, &walk->stack);

	if (stop != WCM_STOP_NONE)
		return stop;
	if (!wcm__arch_follows_call(caller.pc))
		return WCM_STOP_NO_RULE;
	walk->regs = caller;
	return WCM_STOP_NONE;
}

/* A zero frame pointer ends a chain, but none starts with it: an interrupted
 * function that holds it uses the register for something else. */
static bool is_without_chain(const struct wcm_walk *walk)
{
	return (walk->frame.flags & WCM_FRAME_INTERRUPTED) != 0 &&
	       walk->regs.fp == 0;
}

void wcm__walk_start(struct wcm_walk *walk, const void *fp, const void *ra)
{
	*walk = (struct wcm_walk){ .regs.fp = (uintptr_t)fp,
				   .regs.sp = (uintptr_t)fp };
	walk->stack = wcm__stack_span(walk->regs.sp);
	walk->stop = wcm__step(&walk->regs, &wcm__arch_frame_rule, &walk->stack);
	if (walk->stop != WCM_STOP_NONE) {
		walk->regs.pc = wcm__arch_strip((uintptr_t)ra);
		walk->regs.fp = 0;
		walk->stop = WCM_STOP_NONE;
	}
	stand_at(walk, 0);
}

void wcm__walk_start_context(struct wcm_walk *walk, const void *ucontext)
{
	*walk = (struct wcm_walk){ .stop = WCM_STOP_NONE };
	if (!wcm__arch_regs_from_context(&walk->regs, ucontext)) {
		walk->stop = WCM_STOP_UNREADABLE;
		return;
	}
	walk->stack = wcm__stack_span(walk->regs.sp);
	walk->fetch_failed = wcm__arch_fetch_failed(ucontext);
	stand_at(walk, WCM_FRAME_INTERRUPTED);
}

void wcm__walk_next(struct wcm_walk *walk)
{
	if (walk->stop != WCM_STOP_NONE)
		return;
	if (walk->frame.flags & WCM_FRAME_SIGNAL) {
		leave_signal(walk);
		return;
	}
	if (walk->fetch_failed)
		walk->stop = step_wild_call(walk);
	else if (is_without_chain(walk))
		walk->stop = WCM_STOP_NO_RULE;
	else
		walk->stop = wcm__frame_pointer_step(&walk->regs, &walk->stack);
	walk->fetch_failed = false;
	if (walk->stop == WCM_STOP_NONE)
		stand_at(walk, 0);
}

size_t wcm__walk_collect(struct wcm_walk *walk, struct wcm_frame *frames,
			 size_t cap, unsigned skip, enum wcm_stop *stop)
{
	size_t count = 0;

	for (; walk->stop == WCM_STOP_NONE; wcm__walk_next(walk)) {
		if (skip > 0) {
			skip--;
			continue;
		}
		if (count == cap) {
			walk->stop = WCM_STOP_FULL;
			break;
		}
		frames[count++] = walk->frame;
	}
	if (stop)
		*stop = walk->stop;
	return count;
}
