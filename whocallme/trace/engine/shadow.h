/* SPDX-License-Identifier: MIT */
/* shadow.h (SAFE) - the shadow stack: the calls that are open in a thread. */
#ifndef WCM_PROBE_SHADOW_H
#define WCM_PROBE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arch/arch.h"
#include "core/unwind/step.h"
#include "trace/engine/sink.h"
#include "trace/engine/tracer.h"

/* event: what a source hands over: a call that begins or ends. */

struct wcm_probe_hit;
struct wcm_system_call;

/* What a hook is told, and where it was called from. */
struct wcm_event {
	uintptr_t func, site;
	struct wcm_regs at; /* in the function, behind the call of the hook */
	uint64_t now;
	const struct wcm_told *told; /* beside that; NULL: nothing, or nobody asks */
};

/* EVENT's call begins: close those whose frames are gone, and open it.  NULL: there
 * is no room; it is counted, and its exit will be known. */
struct wcm_call *wcm__shadow_enter(struct wcm_tracer *tracer,
				   const struct wcm_event *event);

/* The same of a call whose frame is known to be at CFA.  FLAGS is WCM_CALL_SILENT or
 * WCM_CALL_RETURNS; with the latter, WCM_CALL_TAIL, the call that has the frame has jumped to it
 * as the last thing it does: it is within that one, or, if it is there already as one that has
 * jumped on, in its own place. */
struct wcm_call *wcm__shadow_enter_at(struct wcm_tracer *tracer,
				      const struct wcm_event *event, uintptr_t cfa,
				      uint32_t flags);

/* The call whose frame ended at EVENT's stack pointer has returned. */
void wcm__shadow_return(struct wcm_tracer *tracer, const struct wcm_event *event);

/* The innermost open call is one by a sled: whether EVENT's is the same, of which another
 * source has told; its exit will be told then. */
bool wcm__shadow_adopt(struct wcm_tracer *tracer, const struct wcm_event *event);

/* EVENT's call ends: close it, and those in it that are still open.  False where it
 * is none that was opened. */
bool wcm__shadow_leave(struct wcm_tracer *tracer, const struct wcm_event *event);

/* The function that made CALL, an open one of SHADOW, passing over those with a flag of
 * EXCEPT; of a signal handler on a stack of its own, that which was interrupted.  0:
 * none that is traced. */
uintptr_t wcm__shadow_caller(const struct wcm_shadow *shadow,
			     const struct wcm_call *call, uint32_t except);

/* What follows is all there is to do for most calls.  It is inline for the first stage of a
 * sled's entry, which is to call little. */

static inline struct wcm_call *wcm__shadow_innermost(const struct wcm_shadow *shadow)
{
	return &shadow->call[shadow->depth - 1];
}

/* Whether an exception may have left the innermost open call though its frame is there
 * still. */
static inline bool wcm__shadow_can_have_landed(const struct wcm_shadow *shadow)
{
	return shadow->depth > 0 && (wcm__shadow_innermost(shadow)->flags & WCM_CALL_LANDS);
}

/* Whether EVENT's function, whose frame is at CFA, is called by the innermost open call
 * beyond doubt: its frame ends below that call's stack pointer, and its own stack pointer
 * is where this stack has been before, or little below.  A stack that grows by more than
 * NEAR at once may be another one, which lies below it. */
static inline bool wcm__shadow_is_callee(const struct wcm_shadow *shadow,
					 const struct wcm_event *event, uintptr_t cfa)
{
	enum { NEAR = 4096 }; /* bytes: from a function to one that it calls itself */
	const uintptr_t sp = event->at.sp;
	const struct wcm_call *top;

	if (sp >= shadow->hi)
		return false;
	if (shadow->depth == 0)
		return sp >= shadow->lo;
	top = wcm__shadow_innermost(shadow);
	if (cfa > top->sp)
		return false;
	return sp >= shadow->lo || top->sp - cfa <= NEAR ||
	       (shadow->dropped > 0 && shadow->lo - sp <= NEAR);
}

/* The same, and nothing lands in the innermost, whose end is told: no call has to be closed;
 * and there is room for one more. */
static inline bool wcm__shadow_is_plain(const struct wcm_shadow *shadow,
					const struct wcm_event *event, uintptr_t cfa)
{
	return shadow->depth < shadow->room && wcm__shadow_is_callee(shadow, event, cfa) &&
	       !(shadow->depth > 0 && (wcm__shadow_innermost(shadow)->flags &
				       (WCM_CALL_LANDS | WCM_CALL_SILENT)));
}

/* LO grows downwards with the calls: what is below it has not been this stack's so far. */
static inline void wcm__shadow_reach(struct wcm_shadow *shadow, uintptr_t sp)
{
	if (sp < shadow->lo)
		shadow->lo = sp;
}

/* How deep a thread's calls go and how much stack they take is part of every report. */
static inline void wcm__shadow_note_extent(struct wcm_tracer *tracer, uint32_t depth,
					   uintptr_t sp)
{
	const struct wcm_shadow *shadow = tracer->shadow;

	if (depth > tracer->deepest)
		tracer->deepest = depth;
	if (shadow->hi - sp > tracer->most_stack)
		tracer->most_stack = shadow->hi - sp;
}

/* Make EVENT's call, for which there is room, the one to be opened. */
__attribute__((always_inline)) static inline struct wcm_call *
wcm__shadow_fill(const struct wcm_shadow *shadow, const struct wcm_event *event, uintptr_t cfa,
		 uint32_t flags)
{
	struct wcm_call *call = &shadow->call[shadow->depth];

	/* One by one: of a whole struct, compilers make a loop over its bytes. */
	call->func = event->func;
	call->site = event->site;
	call->cfa = cfa;
	call->sp = event->at.sp;
	if (flags & (WCM_CALL_RETURNS | WCM_CALL_SILENT)) /* by a sled, at the entry */
		call->sp -= WCM_CALLER_FRAME;
	call->ra = event->at.pc;
	call->begin = event->now;
	call->inner = 0;
	/* Hidden calls are counted once, at their entry, so that a depth is a subtraction. */
	call->state = (struct wcm_call_state){ (uint8_t)flags,
					       wcm__shadow_hidden(shadow) & 0xffffff };
	call->index = 0;
	return call;
}

/* That call is open; SP is its stack pointer. */
__attribute__((always_inline)) static inline void
wcm__shadow_opened(struct wcm_tracer *tracer, uintptr_t sp)
{
	struct wcm_shadow *shadow = tracer->shadow;

	shadow->depth++;
	wcm__shadow_note_extent(tracer, shadow->base + shadow->depth, sp);
}

/* Open EVENT's call, for which there is room. */
__attribute__((always_inline)) static inline struct wcm_call *
wcm__shadow_push(struct wcm_tracer *tracer, const struct wcm_event *event, uintptr_t cfa,
		 uint32_t flags)
{
	struct wcm_call *call = wcm__shadow_fill(tracer->shadow, event, cfa, flags);

	wcm__shadow_opened(tracer, event->at.sp);
	return call;
}

/* Whether the innermost call is the one that is to return from the frame at CFA, and shown. */
static inline bool wcm__shadow_returns_from(const struct wcm_shadow *shadow, uintptr_t cfa)
{
	const struct wcm_call *top;

	if (shadow->depth == 0)
		return false;
	top = wcm__shadow_innermost(shadow);
	return top->cfa == cfa &&
	       (top->flags & (WCM_CALL_RETURNS | WCM_CALL_TAIL | WCM_CALL_HIDDEN)) ==
		       WCM_CALL_RETURNS;
}

/* The innermost call has ended, INNER of whose nanoseconds are those of a call to its caller. */
static inline void wcm__shadow_closed(struct wcm_shadow *shadow, uint64_t inner)
{
	if (shadow->depth > 1)
		shadow->call[shadow->depth - 2].inner += inner;
	shadow->depth--;
	shadow->dropped = 0;
}

/* Close the innermost call.  Its time is time that its caller spent in calls; where a
 * filter hides it, which it may do as late as in leave(), its time is the caller's own and
 * only that of the calls it made is not. */
static inline void wcm__shadow_close(struct wcm_tracer *tracer, uint64_t now,
				     enum wcm_end end)
{
	struct wcm_shadow *shadow = tracer->shadow;
	struct wcm_call *call = wcm__shadow_innermost(shadow);
	bool is_shown = __builtin_expect(!(call->flags & WCM_CALL_HIDDEN), 1);

	if (call->flags & WCM_CALL_SILENT)
		end = WCM_END_SILENT;
	/* Asked again behind: leave() may have decided only now to hide the call. */
	if (is_shown) {
		tracer->sink->leave(tracer, call, wcm__shadow_depth(shadow, call), now, end);
		is_shown = __builtin_expect(!(call->flags & WCM_CALL_HIDDEN), 1);
	}
	if (end == WCM_END_UNWOUND && is_shown)
		tracer->unwound++;
	wcm__shadow_closed(shadow, is_shown ? now - call->begin : call->inner);
}

/* TRACER is on no known stack, and no call is open. */
void wcm__shadow_begin(struct wcm_tracer *tracer);

/* Close all that is open on any of TRACER's stacks, as unwound at NOW. */
void wcm__shadow_close_all(struct wcm_tracer *tracer, uint64_t now);

/* inlined.c: tells whether a function is inlined where its hook is called from. */

/* Whether PC, where the hook of FUNC is called, lies in another function's code. */
bool wcm__inlined_at(uintptr_t pc, uintptr_t func);

/* landed.c: tells whether an exception has left an inlined function. */

/* Whether exceptions can leave the inlined function whose hook returns to CALL without
 * leaving the frame.  Not known of code that can be unloaded: false. */
bool wcm__landed_can(uintptr_t call);

/* Which exceptions the calling thread throws or handles now: a number that differs where
 * they do. */
uintptr_t wcm__landed_handled(void);

/* Whether the call that returns to PC, in the same frame as CALL, of which
 * wcm__landed_can() is true, is not made within the inlined function; HANDLED is
 * wcm__landed_handled() of when that was called. */
bool wcm__landed_outside(uintptr_t call, uintptr_t pc, uintptr_t handled);

/* stacks.c: the machine stacks of a thread: finds the one that an event is on. */

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
