/* SPDX-License-Identifier: MIT */
/* guess.c (SAFE) - guesses the caller where nothing describes the frame, by what comes next. */
#include "core/unwind/guess.h"

#include "core/arch/arch.h"
#include "core/modules/module_read.h"
#include "core/modules/place.h"
#include "core/unwind/prologue.h"
#include "core/unwind/stack_span.h"

/* A zero frame pointer ends a chain, but none starts with it: a function that
 * holds it, and was not reached by a chain, uses the register for something
 * else. */
static bool is_without_chain(const struct wcm_regs *regs, bool on_chain)
{
	return !on_chain && regs->fp == 0;
}

/* Code with no call in front of it is returned to where that was arranged by
 * hand, as makecontext(3) does it for the first function of a stack. */
bool wcm__frame_is_planted(const struct wcm_frame *frame)
{
	const uint32_t exact = WCM_FRAME_INTERRUPTED | WCM_FRAME_SIGNAL;

	return (frame->flags & exact) == 0 &&
	       !wcm__arch_follows_call(frame->pc, wcm__read_code);
}

/* Data may end like a call: the bytes in front do not tell. */
static bool is_written_over(const struct wcm_frame *frame, uintptr_t site)
{
	return (frame->flags & (WCM_FRAME_INTERRUPTED | WCM_FRAME_SIGNAL)) == 0 &&
	       wcm__place_of(site) == WCM_PLACE_DATA;
}

/* A stack that the program has made ends where its first function is to return to.  A thread's
 * own has no such end: there, and where there is no code, the return address has been written
 * over. */
static bool ends_by_hand(const struct wcm_regs *regs, const struct wcm_span *stack)
{
	const bool is_own = wcm__stack_is_own(stack) &&
			    wcm__span_holds(stack, regs->sp, sizeof(regs->sp));

	return !is_own && wcm__place_of(regs->pc) == WCM_PLACE_CODE;
}

bool wcm__chain_is_of_pairs(void)
{
	const struct wcm_rule *chain = &wcm__arch_frame_rule;

	return WCM_HAS_LINK_REGISTER && chain->fp_off == -chain->cfa_off;
}

/* A chain leaves out who called a function that does not keep the frame pointer, which
 * its prologue does not; but that takes a search for a symbol. */
enum wcm_stop wcm__guess(struct wcm_regs *regs, const struct wcm_frame *frame,
			 const struct wcm_span *stack, const struct wcm_span *window,
			 bool prologue_first, bool *on_chain)
{
	const uintptr_t site = wcm_frame_site(frame);
	const bool without_chain = is_without_chain(regs, *on_chain);
	const bool was_on_chain = *on_chain;
	enum wcm_stop stop = WCM_STOP_NO_RULE;

	*on_chain = false;
	if (was_on_chain && wcm__frame_is_planted(frame) && wcm__stack_is_own(stack) &&
	    wcm__frame_pointer_step(regs, stack, window) == WCM_STOP_NONE) {
		*on_chain = true;
		return WCM_STOP_NONE;
	}
	/* Where a call uses a link register, a frame pointer of 0 is that of a stack's end. */
	if (!was_on_chain && is_written_over(frame, site))
		return WCM_STOP_NO_RULE;
	if (wcm__frame_is_planted(frame))
		return (without_chain && !WCM_HAS_LINK_REGISTER) || !ends_by_hand(regs, stack)
			       ? WCM_STOP_NO_RULE
			       : WCM_STOP_OUTERMOST;
	if (prologue_first && wcm__prologue_step(regs, site, window) == WCM_STOP_NONE)
		return WCM_STOP_NONE;
	if (prologue_first && wcm__prologue_lacks_chain(regs->pc, site))
		return WCM_STOP_NO_RULE;
	if (!without_chain)
		stop = wcm__frame_pointer_step(regs, stack, window);
	*on_chain = stop == WCM_STOP_NONE;
	if (prologue_first || stop == WCM_STOP_NONE || stop == WCM_STOP_OUTERMOST)
		return stop;
	return wcm__prologue_step(regs, site, window) == WCM_STOP_NONE ? WCM_STOP_NONE : stop;
}
