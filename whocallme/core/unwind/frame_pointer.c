/* SPDX-License-Identifier: MIT */
/* frame_pointer.c (SAFE) - follows a frame-pointer chain where no row describes the frame, if it is
 * one.
 *
 * Compilers use the frame pointer as one register more unless told otherwise,
 * so that what it holds is a claim to be checked: by where it points, and by
 * the code in front of the return address found there.
 */
#include "core/unwind/guess.h"

#include "core/arch/arch.h"
#include "core/modules/module_read.h"
#include "core/modules/place.h"
#include "core/unwind/stack_span.h"

static bool may_be_frame_pointer(const struct wcm_regs *regs,
				 const struct wcm_span *stack)
{
	const uintptr_t ra_at = regs->fp + (uintptr_t)(wcm__arch_frame_rule.cfa_off +
						       wcm__arch_frame_rule.ra_off);

	return regs->fp % sizeof(uintptr_t) == 0 && regs->fp >= regs->sp &&
	       (ra_at < stack->hi ||
		!wcm__span_holds(stack, regs->sp, sizeof(uintptr_t)) ||
		stack->hi - stack->lo <= WCM_PAGE);
}

/* In a module's code, or in none: there a run-time may have made some. */
static bool is_outside_data(uintptr_t pc, const struct wcm_span *stack)
{
	return !wcm__span_holds(stack, pc, 1) && wcm__place_of(pc) != WCM_PLACE_DATA;
}

static bool may_be_code(uintptr_t pc, const struct wcm_span *stack)
{
	uint8_t byte;

	return wcm__read_code(pc, &byte, sizeof(byte)) && is_outside_data(pc, stack);
}

/* Data may end like a call, too.  A call that does not return may be the last of its module. */
static bool is_return_address(uintptr_t pc, const struct wcm_span *stack)
{
	return wcm__arch_follows_call(pc, wcm__read_code)
		       ? is_outside_data(pc - 1, stack)
		       : wcm__arch_is_sigreturn(pc, wcm__read_code) && is_outside_data(pc, stack);
}

/* Run-times return to code that no call is in front of, as V8's deoptimizer does, which leaves
 * the chain as it is: CALLER, at such code, is believed where the chain goes on to a return
 * address, on the thread's own stack.  One that the program has made ends so. */
__attribute__((noinline)) static bool
is_in_whole_chain(const struct wcm_regs *caller, const struct wcm_span *stack,
		  const struct wcm_span *window)
{
	enum { MOST_IN_A_ROW = 4 };
	struct wcm_regs next = *caller;

	for (int i = 0; i < MOST_IN_A_ROW && wcm__stack_is_own(stack); i++) {
		if (!may_be_code(next.pc, stack) || next.fp == 0 ||
		    !wcm__span_holds(stack, next.sp, sizeof(next.sp)) ||
		    !may_be_frame_pointer(&next, stack) ||
		    wcm__step(&next, &wcm__arch_frame_rule, window) != WCM_STOP_NONE)
			return false;
		if (is_return_address(next.pc, stack))
			return true;
	}
	return false;
}

enum wcm_stop wcm__frame_pointer_step(struct wcm_regs *regs,
				      const struct wcm_span *stack,
				      const struct wcm_span *window)
{
	struct wcm_regs caller = *regs;
	enum wcm_stop stop;

	/* The ABIs mark a thread's first frame with a zero frame pointer. */
	if (regs->fp == 0)
		return WCM_STOP_OUTERMOST;
	if (!may_be_frame_pointer(regs, stack))
		return WCM_STOP_NO_RULE;
	stop = wcm__step(&caller, &wcm__arch_frame_rule, window);
	if (stop == WCM_STOP_OUTERMOST) /* with a frame pointer that goes on */
		return WCM_STOP_BAD_FRAME;
	if (stop != WCM_STOP_NONE)
		return stop;
	if (!is_return_address(caller.pc, stack) && !is_in_whole_chain(&caller, stack, window))
		return WCM_STOP_NO_RULE;
	*regs = caller;
	return WCM_STOP_NONE;
}
