/* SPDX-License-Identifier: MIT */
/* interrupted.c - has a signal interrupted the hook that was running?
 *
 * The stack tells, by a walk: of the handler's frames up to the hook's, or to the first
 * that lies above it on its stack.  A handler calls many functions, so that what the
 * kernel saved when it was called is remembered, and looked at again in place of the
 * walk.  It could be what an earlier signal has left there; therefore the walk is
 * done again now and then.
 */
#include "hook/interrupted.h"

#include <signal.h>
#include <string.h>

#include "arch/arch.h"
#include "hook/frame.h"
#include "syscall.h"
#include "unwind/read.h"
#include "unwind/stack_span.h"

enum { MOST_FRAMES = 1 << 20, MOST_BELIEVED = 256 };

/* The alternate stack, if that is in use. */
static struct wcm_span find_alternate(void)
{
	stack_t alternate = { .ss_flags = SS_DISABLE };

	wcm__syscall(SYS_sigaltstack, 0, (long)&alternate, 0, 0, 0, 0);
	if ((alternate.ss_flags & SS_ONSTACK) == 0)
		return (struct wcm_span){ 0, 0 };
	return (struct wcm_span){ (uintptr_t)alternate.ss_sp,
				  (uintptr_t)alternate.ss_sp + alternate.ss_size };
}

/* Whether a frame at SP is above that of the hook, on its stack: nothing that the hook
 * was interrupted by is called from there. */
static bool is_above(const struct wcm_tracer *tracer, uintptr_t sp,
		     const struct wcm_span *alternate)
{
	return sp > tracer->inside && sp < tracer->shadow->hi &&
	       !wcm__span_holds(alternate, sp, 1);
}

/* What is on a thread's own stack is known to be mapped. */
static bool is_on_own_stack(const struct wcm_interruption *known, uintptr_t sp)
{
	const struct wcm_span stack = wcm__stack_span(sp);

	return wcm__span_holds(&stack, known->saved_at, sizeof(known->word));
}

static bool read_saved(const struct wcm_interruption *known, uintptr_t sp,
		       uint64_t words[WCM_INTERRUPTION_WORDS])
{
	const uintptr_t first = known->saved_at & ~(sizeof(uint64_t) - 1);
	const size_t size = sizeof(known->word);

	if ((!known->on_own_stack || !is_on_own_stack(known, sp)) &&
	    (!wcm__can_read(first) || !wcm__can_read(first + size)))
		return false;
	memcpy(words, (const void *)known->saved_at, size);
	return true;
}

/* What the kernel saved is at SAVED_AT. */
static void remember(struct wcm_tracer *tracer, uintptr_t sp, uintptr_t saved_at)
{
	struct wcm_interruption *known = &tracer->interruption;

	known->inside = 0;
	known->saved_at = saved_at;
	known->on_own_stack = is_on_own_stack(known, sp);
	if (saved_at == 0 || !read_saved(known, sp, known->word))
		return;
	known->believed = 0;
	known->inside = tracer->inside;
}

static bool is_known(struct wcm_tracer *tracer, uintptr_t sp)
{
	struct wcm_interruption *known = &tracer->interruption;
	uint64_t now[WCM_INTERRUPTION_WORDS];

	return known->inside == tracer->inside && known->believed++ < MOST_BELIEVED &&
	       read_saved(known, sp, now) && memcmp(now, known->word, sizeof(now)) == 0;
}

static bool walk_to_hook(struct wcm_tracer *tracer, const struct wcm_regs *at,
			 const struct wcm_span *alternate)
{
	uintptr_t saved_at = 0;
	struct wcm_walk walk;

	if (!wcm__frame_walk(&walk, at))
		return at->sp < tracer->inside;
	for (int i = 0; i < MOST_FRAMES; i++) {
		if (walk.way == WCM_WAY_SIGRETURN)
			saved_at = wcm__arch_signal_context(&walk.regs);
		wcm__walk_next(&walk);
		if (walk.stop != WCM_STOP_NONE)
			return walk.stop != WCM_STOP_OUTERMOST &&
			       at->sp < tracer->inside;
		if (walk.regs.sp == tracer->inside &&
		    walk.regs.pc == tracer->inside_ra) {
			remember(tracer, at->sp, saved_at);
			return true;
		}
		if (is_above(tracer, walk.regs.sp, alternate))
			return false;
	}
	return true;
}

__attribute__((noinline)) bool
wcm__hook_is_interrupted(struct wcm_tracer *tracer, const struct wcm_regs *at)
{
	struct wcm_span alternate = { 0, 0 };

	if (at->sp <= tracer->inside && is_known(tracer, at->sp))
		return true;
	alternate = find_alternate();
	if (is_above(tracer, at->sp, &alternate))
		return false;
	return (at->sp > tracer->inside && is_known(tracer, at->sp)) ||
	       walk_to_hook(tracer, at, &alternate);
}
