/* SPDX-License-Identifier: MIT */
/* shadow.c - which calls are open?
 *
 * An exit is not always heard of: an exception passes through functions of clang's
 * without a word, and longjmp(3) tells nobody.  What is certain is the stack: a
 * function that calls another has its stack pointer at or above the other's frame,
 * so a call whose stack pointer lies below a frame that is there now has ended.
 */
#include "hook/shadow.h"

#include "hook/filter.h"
#include "hook/frame.h"
#include "hook/gate.h"
#include "hook/inlined.h"
#include "hook/landed.h"
#include "hook/sink.h"
#include "hook/stacks.h"

enum { NEAR = 4096 }; /* bytes: from a function to one that it calls itself */

static struct wcm_call *innermost(const struct wcm_shadow *shadow)
{
	return &shadow->call[shadow->depth - 1];
}

/* Whether the sink has been told of CALL, or is now that it ends at NOW. */
static bool is_shown(struct wcm_tracer *tracer, struct wcm_call *call, uint64_t now)
{
	if (__builtin_expect(!(call->flags & (WCM_CALL_HIDDEN | WCM_CALL_HELD)), 1))
		return true;
	return (call->flags & WCM_CALL_HELD) && wcm__gate.filter &&
	       wcm__filter_admits_end(wcm__gate.filter, tracer, call, now);
}

uint32_t wcm__shadow_hidden(const struct wcm_shadow *shadow)
{
	const struct wcm_call *call;

	if (shadow->depth == 0)
		return 0;
	call = innermost(shadow);
	return call->hidden + (call->flags & WCM_CALL_HIDDEN);
}

__attribute__((noinline)) uintptr_t
wcm__shadow_caller(const struct wcm_shadow *shadow, const struct wcm_call *call,
		   uint32_t except)
{
	for (;;) {
		while (call > shadow->call)
			if (!((--call)->flags & except))
				return call->func;
		if (!shadow->alternate || shadow->base == 0 || !shadow->next)
			return 0;
		shadow = shadow->next;
		call = shadow->call + shadow->depth;
	}
}

static inline void close(struct wcm_tracer *tracer, uint64_t now, enum wcm_end end)
{
	struct wcm_shadow *shadow = tracer->shadow;
	struct wcm_call *call = innermost(shadow);
	const bool shown = is_shown(tracer, call, now);

	if (shadow->depth > 1)
		call[-1].inner += shown ? now - call->begin : call->inner;
	if (end == WCM_END_UNWOUND && shown)
		tracer->unwound++;
	if (tracer->sink->leave && shown)
		tracer->sink->leave(tracer, call, wcm__shadow_depth(tracer, call),
				 now, end);
	shadow->depth--;
	shadow->dropped = 0;
}

/* What is rare is not inlined: it would cost every call registers. */
__attribute__((noinline)) static void close_down_to(struct wcm_tracer *tracer,
						    uint32_t depth, uint64_t now)
{
	while (tracer->shadow->depth > depth)
		close(tracer, now, WCM_END_UNWOUND);
}

/* Whether EVENT's function is inlined where the hook was called from; TOP is in
 * the same frame. */
static bool is_inlined(const struct wcm_event *event, const struct wcm_call *top)
{
	return (event->func == top->func && event->at.pc != top->ra) ||
	       wcm__inlined_at(event->at.pc - 1, event->func);
}

/* How many calls are not in one that the hook at PC has told of before, in the frame
 * at CFA of the innermost: that one has ended, by an exception if it is inlined. */
static uint32_t count_before(const struct wcm_shadow *shadow, uintptr_t cfa,
			     uintptr_t pc)
{
	uint32_t count = shadow->depth;

	for (uint32_t i = count; i > 0 && shadow->call[i - 1].cfa == cfa; i--)
		if (shadow->call[i - 1].ra == pc)
			count = i - 1;
	return count;
}

/* Whether an exception may have left the innermost open call though its frame is there
 * still. */
static inline bool can_have_landed(const struct wcm_shadow *shadow)
{
	return shadow->depth > 0 && (innermost(shadow)->flags & WCM_CALL_LANDS);
}

/* Whether EVENT's function, whose frame is at CFA, is called by the innermost open
 * call beyond doubt. */
static inline bool is_callee(const struct wcm_shadow *shadow,
			     const struct wcm_event *event, uintptr_t cfa)
{
	const uintptr_t sp = event->at.sp;
	const struct wcm_call *top;

	if (sp >= shadow->hi)
		return false;
	if (shadow->depth == 0)
		return sp >= shadow->lo;
	top = innermost(shadow);
	if (cfa > top->sp)
		return false;
	return sp >= shadow->lo || top->sp - cfa <= NEAR ||
	       (shadow->dropped > 0 && shadow->lo - sp <= NEAR);
}

/* Calls that are in the frame at CFA or, if there are none, above it. */
static uint32_t count_at(const struct wcm_shadow *shadow, uintptr_t cfa)
{
	uint32_t count = shadow->depth;

	while (count > 0 && shadow->call[count - 1].cfa < cfa)
		count--;
	return count;
}

/* Where calls in the frame at CFA are open: close those they have made.  EVENT's
 * function is another that is inlined there, true, or the frame is a new one, and
 * they are closed, too. */
static bool joins_frame(struct wcm_tracer *tracer, const struct wcm_event *event,
			uintptr_t cfa)
{
	const struct wcm_shadow *shadow = tracer->shadow;
	const uint32_t count = count_at(shadow, cfa);

	if (count == 0 || shadow->call[count - 1].cfa != cfa)
		return false;
	close_down_to(tracer, count, event->now);
	if (is_inlined(event, innermost(shadow))) {
		close_down_to(tracer, count_before(shadow, cfa, event->at.pc),
			      event->now);
		return true;
	}
	while (shadow->depth > 0 && innermost(shadow)->cfa == cfa)
		close_down_to(tracer, shadow->depth - 1, event->now);
	return false;
}

/* Find EVENT's stack, and close the calls whose frames are gone.  True where its
 * function is inlined in a frame that is there. */
static bool settle_frames(struct wcm_tracer *tracer, const struct wcm_event *event,
			  uintptr_t cfa)
{
	const struct wcm_shadow *before = tracer->shadow;
	uint32_t open;

	if (joins_frame(tracer, event, cfa))
		return true;
	if (is_callee(before, event, cfa))
		return false;
	open = wcm__stacks_find(tracer, &event->at, cfa);
	if (tracer->shadow != before && joins_frame(tracer, event, cfa))
		return true;
	close_down_to(tracer, open, event->now);
	return false;
}

/* Close the inlined calls that an exception has left, as a call that returns to PC in
 * their frame shows. */
static void close_landed(struct wcm_tracer *tracer, uintptr_t pc, uint64_t now)
{
	const struct wcm_shadow *shadow = tracer->shadow;
	const struct wcm_call *call;

	while (can_have_landed(shadow)) {
		call = innermost(shadow);
		if (!wcm__landed_outside(call->ra, pc, call->handled))
			break;
		close_down_to(tracer, shadow->depth - 1, now);
	}
}

/* Close what EVENT shows to have ended.  Returns the new call's flags. */
__attribute__((noinline)) static uint32_t
settle(struct wcm_tracer *tracer, const struct wcm_event *event, uintptr_t cfa)
{
	const bool is_inlined = settle_frames(tracer, event, cfa);

	close_landed(tracer, is_inlined ? event->at.pc : event->site, event->now);
	return is_inlined && wcm__landed_can(event->at.pc) ? WCM_CALL_LANDS : 0;
}

static inline void note_extent(struct wcm_tracer *tracer, uint32_t depth, uintptr_t sp)
{
	const struct wcm_shadow *shadow = tracer->shadow;

	if (depth > tracer->deepest)
		tracer->deepest = depth;
	if (shadow->hi - sp > tracer->most_stack)
		tracer->most_stack = shadow->hi - sp;
}

/* Whether there is room for another call on TRACER's stack.  After one that found
 * none, there is none until the stack is less deep. */
static bool make_room(struct wcm_tracer *tracer, const struct wcm_event *event)
{
	struct wcm_shadow *shadow = tracer->shadow;

	if (shadow->dropped == 0 && wcm__stacks_grow(shadow))
		return true;
	shadow->dropped++;
	tracer->too_deep++;
	note_extent(tracer, shadow->base + shadow->depth + (uint32_t)shadow->dropped,
		    event->at.sp);
	return false;
}

static struct wcm_call *open_call(struct wcm_tracer *tracer,
				  const struct wcm_event *event, uintptr_t cfa,
				  uint32_t flags)
{
	struct wcm_shadow *shadow = tracer->shadow;
	struct wcm_call *call;

	if (event->at.sp < shadow->lo)
		shadow->lo = event->at.sp;
	if (__builtin_expect(shadow->depth == shadow->room, 0) &&
	    !make_room(tracer, event))
		return NULL;
	call = &shadow->call[shadow->depth];
	/* One by one: of a whole struct, compilers make a loop over its bytes. */
	call->func = event->func;
	call->site = event->site;
	call->cfa = cfa;
	call->sp = event->at.sp;
	call->ra = event->at.pc;
	call->begin = event->now;
	call->inner = 0;
	call->flags = (uint8_t)flags;
	call->hidden = call->index = 0;
	if (__builtin_expect(flags & WCM_CALL_LANDS, 0))
		call->handled = wcm__landed_handled();
	if (shadow->depth > 0 && (call[-1].flags || call[-1].hidden))
		call->hidden = wcm__shadow_hidden(shadow) & 0xffffff;
	shadow->depth++;
	note_extent(tracer, shadow->base + shadow->depth, event->at.sp);
	return call;
}

struct wcm_call *wcm__shadow_enter(struct wcm_tracer *tracer,
				   const struct wcm_event *event)
{
	uint32_t flags = 0;
	uintptr_t cfa;

	if (!__builtin_expect(wcm__frame_peek(&event->at, &cfa), 1))
		cfa = wcm__frame_find(&event->at);
	if (!__builtin_expect(is_callee(tracer->shadow, event, cfa) &&
				      !can_have_landed(tracer->shadow), 1))
		flags = settle(tracer, event, cfa);
	return open_call(tracer, event, cfa, flags);
}

/* The hook may be the last thing that a function calls, its own frame gone. */
static bool is_last(const struct wcm_shadow *shadow,
		    const struct wcm_event *event)
{
	const struct wcm_call *top = innermost(shadow);

	return top->func == event->func &&
	       (event->at.sp == top->sp ||
		(event->at.sp == top->cfa && event->at.pc == event->site));
}

/* The calls up to that of FUNC in the frame at CFA; 0: it is none of them. */
static uint32_t find(const struct wcm_shadow *shadow, uintptr_t func,
		     uintptr_t cfa)
{
	uint32_t count = count_at(shadow, cfa);

	for (; count > 0 && shadow->call[count - 1].cfa == cfa; count--)
		if (shadow->call[count - 1].func == func)
			return count;
	return 0;
}

/* Whether EVENT's call is likely one of those for which there was no room: it is
 * below the innermost of those for which there was. */
static bool is_dropped(const struct wcm_shadow *shadow,
		       const struct wcm_event *event)
{
	return shadow->dropped > 0 && event->at.sp >= shadow->lo &&
	       event->at.sp <= innermost(shadow)->sp;
}

__attribute__((noinline)) static bool
leave_slowly(struct wcm_tracer *tracer, const struct wcm_event *event)
{
	const bool is_tail = event->at.pc == event->site;
	const uintptr_t cfa = is_tail ? event->at.sp :
			      wcm__frame_find(&event->at);
	uint32_t count = find(tracer->shadow, event->func, cfa);

	if (count == 0 && is_dropped(tracer->shadow, event)) {
		tracer->shadow->dropped--;
		return true;
	}
	if (count == 0 && wcm__stacks_switch(tracer, event->at.sp))
		count = find(tracer->shadow, event->func, cfa);
	if (count == 0)
		return false;
	close_down_to(tracer, count, event->now);
	close(tracer, event->now, WCM_END_EXIT);
	return true;
}

bool wcm__shadow_leave(struct wcm_tracer *tracer, const struct wcm_event *event)
{
	const struct wcm_shadow *shadow = tracer->shadow;

	if (shadow->depth == 0 || !is_last(shadow, event))
		return leave_slowly(tracer, event);
	close(tracer, event->now, WCM_END_EXIT);
	return true;
}

/* No stack holds what this one is asked for. */
static struct wcm_shadow nowhere;

void wcm__shadow_begin(struct wcm_tracer *tracer)
{
	for (struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		shadow->lo = shadow->hi = shadow->depth = 0;
	tracer->shadow = &nowhere;
}

void wcm__shadow_close(struct wcm_tracer *tracer, struct wcm_shadow *shadow)
{
	struct wcm_shadow *in_use = tracer->shadow;

	tracer->shadow = shadow;
	close_down_to(tracer, 0, tracer->last);
	tracer->shadow = in_use;
}

void wcm__shadow_close_all(struct wcm_tracer *tracer)
{
	for (struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		wcm__shadow_close(tracer, shadow);
}
