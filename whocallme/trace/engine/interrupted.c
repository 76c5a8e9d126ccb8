/* SPDX-License-Identifier: MIT */
/* interrupted.c (SAFE) - distinguishes a hook that a signal has interrupted from one that a jump,
 * as by longjmp(3), has left.
 *
 * The hook is interrupted if its frame is on the stack.  A walk finds it: from the signal
 * handler's frames up to the hook's, or to the first frame above it.  A handler calls many
 * functions, so a sum of what the kernel saved on the stack is remembered, and compared instead of
 * another walk.  The sum is of all between the saved registers and the hook, not of the registers
 * alone: after a jump out of the handler the next signal's frame may lie over the old one, and has
 * gaps that the kernel does not write, where old words survive.  An earlier signal may have left
 * the same words by chance, so the walk is repeated now and then.
 */
#include "trace/engine/tracer_life.h"

#include <stddef.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/modules/module_read.h"
#include "core/os/read.h"
#include "core/os/work_stack.h"
#include "core/unwind/guess.h"
#include "core/unwind/stack_span.h"
#include "trace/engine/aside.h"
#include "trace/engine/hook_frame.h"

enum {
	MOST_FRAMES = 1 << 20,
	MOST_BELIEVED = 256,
	LEAST_SUMMED = 256, /* bytes: the registers, where the hook is on another stack */
	MOST_SUMMED = 4096,
};

/* Whether a frame at SP is above that of the hook, on its stack: code there is no part of what
 * interrupted the hook. */
static bool is_above(const struct wcm_tracer *tracer, uintptr_t sp,
		     const struct wcm_span *alternate)
{
	return sp > tracer->inside && sp < tracer->shadow->hi &&
	       !wcm__span_holds(alternate, sp, 1);
}

/* Whether what the kernel saved is on the stack of the code at SP, and above it: all of that is
 * in use, and so can be read.  What is not in use may have been unmapped since, or be another
 * thread's: it is not touched. */
static bool is_on_stack(const struct wcm_interruption *known, uintptr_t sp,
			const struct wcm_span *alternate)
{
	const size_t size = known->end - known->saved_at;
	struct wcm_span own;

	if (sp > known->saved_at)
		return false;
	if (wcm__span_holds(alternate, sp, 1))
		return wcm__span_holds(alternate, known->saved_at, size);
	own = wcm__stack_span(sp);
	return wcm__span_holds(&own, sp, 1) &&
	       wcm__span_holds(&own, known->saved_at, size);
}

/* Without the checks of the address sanitizer, to which most of a stack is not to be read.  The sum
 * depends on the order of the words, too. */
__attribute__((no_sanitize("address"))) static uint64_t
sum_of_saved(const struct wcm_interruption *known)
{
	const volatile uintptr_t *word = (const volatile uintptr_t *)known->saved_at;
	uint64_t sum = 0;

	for (size_t i = (known->end - known->saved_at) / sizeof(*word); i > 0; i--)
		sum = (sum << 5 | sum >> 59) + *word++;
	return sum;
}

/* What the kernel saved is at SAVED_AT.  INSIDE is cleared first and set last, so that a handler
 * that interrupts this and asks as well does not take words that are half copied for known ones. */
static void remember(struct wcm_tracer *tracer, uintptr_t sp, uintptr_t saved_at,
		     const struct wcm_span *alternate)
{
	struct wcm_interruption *known = &tracer->interruption;

	known->inside = 0;
	known->saved_at = saved_at;
	known->end = saved_at + LEAST_SUMMED;
	if (known->end < tracer->inside && tracer->inside - saved_at <= MOST_SUMMED)
		known->end = tracer->inside;
	if (!is_on_stack(known, sp, alternate))
		return;
	known->sum = sum_of_saved(known);
	known->believed = 0;
	known->inside = tracer->inside;
}

/* The same hook at the same address, and the same words there: an interruption by an earlier
 * signal would have left them alike only by chance, which MOST_BELIEVED bounds. */
static bool is_known(struct wcm_tracer *tracer, uintptr_t sp,
		     const struct wcm_span *alternate)
{
	struct wcm_interruption *known = &tracer->interruption;

	return known->inside == tracer->inside && known->believed++ < MOST_BELIEVED &&
	       is_on_stack(known, sp, alternate) && known->sum == sum_of_saved(known);
}

/* Where the registers are that the kernel saved for the trampoline at REGS.  What a ucontext_t has
 * in front of them is left out: where a signal's frame lacks that, other words are there, which
 * change. */
static uintptr_t saved_registers(const struct wcm_regs *regs)
{
	return wcm__arch_signal_context(regs, wcm__read_code) + offsetof(ucontext_t, uc_mcontext);
}

/* Whether WALK has come to where a stack begins, and not only to what nothing describes. */
static bool is_beginning(const struct wcm_walk *walk)
{
	return walk->stop == WCM_STOP_OUTERMOST ||
	       (walk->stop == WCM_STOP_NO_RULE && wcm__frame_is_planted(&walk->frame));
}

/* Where no walk is possible, or it breaks off, the hook is taken for interrupted, wherever AT is:
 * a handler's stack may be above the hook's as well as below it.  To take an interrupted hook for
 * one that was left would let the handler's event change what the hook is changing; the other
 * error loses an event.  That is remembered, too, where a signal's frame was passed: a walk for
 * each event of a handler may take longer than until the next signal, and the hook would get
 * nowhere. */
static bool walk_to_hook(struct wcm_tracer *tracer, const struct wcm_regs *at,
			 const struct wcm_span *alternate)
{
	uintptr_t saved_at = 0;
	struct wcm_walk walk;
	bool broken;

	if (!wcm__hook_frame_walk(&walk, at))
		return true;
	for (int i = 0; i < MOST_FRAMES; i++) {
		/* The last trampoline below the hook is the one of the signal that interrupted
		 * it. */
		if (walk.way == WCM_WAY_SIGRETURN)
			saved_at = saved_registers(&walk.regs);
		wcm__walk_next(&walk);
		broken = walk.stop != WCM_STOP_NONE;
		if (broken ? is_beginning(&walk) : is_above(tracer, walk.regs.sp, alternate))
			return false;
		if (broken || (walk.regs.sp == tracer->inside &&
			       walk.regs.pc == tracer->inside_ra)) {
			remember(tracer, at->sp, saved_at, alternate);
			return true;
		}
	}
	return true;
}

struct question {
	struct wcm_tracer *tracer;
	const struct wcm_regs *at;
	struct wcm_span alternate;
	bool is_interrupted;
};

static void ask(void *argument)
{
	struct question *question = argument;

	question->is_interrupted =
		walk_to_hook(question->tracer, question->at, &question->alternate);
}

/* The work stack is used only where there is no room here: the hook that is interrupted may be on
 * it. */
__attribute__((noinline)) bool
wcm__hook_is_interrupted(struct wcm_tracer *tracer, const struct wcm_regs *at)
{
	struct question question = { .tracer = tracer, .at = at,
				     .alternate = wcm__stack_alternate(at->sp) };

	if (is_above(tracer, at->sp, &question.alternate))
		return false;
	if (is_known(tracer, at->sp, &question.alternate))
		return true;
	if (wcm__has_room_at(tracer->shadow, at->sp))
		ask(&question);
	else
		wcm__work_stack_call(ask, &question);
	return question.is_interrupted;
}
