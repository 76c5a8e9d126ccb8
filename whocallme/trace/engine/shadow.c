/* SPDX-License-Identifier: MIT */
/* shadow.c (SAFE) - the shadow stack: the open calls of a thread, closed when their frames are
 * gone.
 *
 * Not every exit is reported: clang's code says nothing when an exception passes through a
 * function, and longjmp(3) tells nobody.  The invariant is the machine stack's: the stack
 * pointer of a function that calls another lies at or above the other's frame.  So an open
 * call whose stack pointer lies below a frame that exists now has ended.
 *
 * Nearly every event is that of a callee of the innermost open call, or that call's own
 * exit; both are told by a few comparisons.  All else is out of line: it walks the stack.
 */
#include "trace/engine/shadow.h"

#include "core/unwind/stub_code.h"
#include "trace/engine/aside.h"
#include "trace/engine/hook_frame.h"

/* What takes more of a stack than an event may is done aside. */
struct slow {
	struct wcm_tracer *tracer;
	const struct wcm_event *event;
	uintptr_t cfa;
	uint32_t open, *flags;
	bool is_known;
};

static void find_frame_aside(void *argument)
{
	struct slow *slow = argument;

	slow->cfa = wcm__hook_frame_find(&slow->event->at);
}

__attribute__((noinline)) static uintptr_t find_frame(struct wcm_tracer *tracer,
						      const struct wcm_event *event)
{
	struct slow slow = { .event = event };

	wcm__aside_from(tracer, event->at.sp, find_frame_aside, &slow);
	return slow.cfa;
}

/* The stack in use is the first of a thread's; a signal's stack is followed by the one
 * that the signal has interrupted. */
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

/* Close calls as unwound until DEPTH are open.  What is rare is not inlined, for it would
 * cost every call registers. */
__attribute__((noinline)) static void close_down_to(struct wcm_tracer *tracer,
						    uint32_t depth, uint64_t now)
{
	while (tracer->shadow->depth > depth)
		wcm__shadow_close(tracer, now, WCM_END_UNWOUND);
}

static void ask_inlined(void *argument)
{
	struct slow *slow = argument;

	slow->is_known = wcm__inlined_at(slow->event->at.pc - 1, slow->event->func);
}

/* Whether EVENT's function is inlined where the hook was called from; TOP is in
 * the same frame. */
static bool is_inlined(struct wcm_tracer *tracer, const struct wcm_event *event,
		       const struct wcm_call *top)
{
	struct slow slow = { .event = event, .is_known = true };

	if (event->func != top->func || event->at.pc == top->ra)
		wcm__aside_from(tracer, event->at.sp, ask_inlined, &slow);
	return slow.is_known;
}

/* How many calls in the innermost's frame, at CFA, are older than one whose hook was called
 * from PC, too.  A call instruction runs again only after the call that it told of has
 * ended, by an exception if its exit was not reported. */
static uint32_t count_before(const struct wcm_shadow *shadow, uintptr_t cfa,
			     uintptr_t pc)
{
	uint32_t count = shadow->depth;

	for (uint32_t i = count; i > 0 && shadow->call[i - 1].cfa == cfa; i--)
		if (shadow->call[i - 1].ra == pc)
			count = i - 1;
	return count;
}

/* Calls that are in the frame at CFA or, if there are none, above it. */
static uint32_t count_at(const struct wcm_shadow *shadow, uintptr_t cfa)
{
	uint32_t count = shadow->depth;

	while (count > 0 && shadow->call[count - 1].cfa < cfa)
		count--;
	return count;
}

/* Functions that are inlined share the frame, and the CFA, of the one they are inlined in.
 * Where calls in the frame at CFA are open, what those called has ended.  Returns true
 * where EVENT's function is one more that is inlined there; else the frame is a new one
 * at the same address, and the calls in the old one have ended as well. */
static bool joins_frame(struct wcm_tracer *tracer, const struct wcm_event *event,
			uintptr_t cfa)
{
	const struct wcm_shadow *shadow = tracer->shadow;
	const uint32_t count = count_at(shadow, cfa);

	if (count == 0 || shadow->call[count - 1].cfa != cfa)
		return false;
	close_down_to(tracer, count, event->now);
	if (is_inlined(tracer, event, wcm__shadow_innermost(shadow))) {
		close_down_to(tracer, count_before(shadow, cfa, event->at.pc),
			      event->now);
		return true;
	}
	while (shadow->depth > 0 && wcm__shadow_innermost(shadow)->cfa == cfa)
		close_down_to(tracer, shadow->depth - 1, event->now);
	return false;
}

/* Close all that is open on SHADOW, one of TRACER's. */
static void close_stack(struct wcm_tracer *tracer, struct wcm_shadow *shadow, uint64_t now)
{
	struct wcm_shadow *in_use = tracer->shadow;

	/* wcm__shadow_close() works on the stack in use; sinks are told of calls of this one in
	 * the same way. */
	tracer->shadow = shadow;
	close_down_to(tracer, 0, now);
	tracer->shadow = in_use;
}

/* Use the stack that AT stands on, in the frame at CFA.  Returns how many of its calls are known
 * to be open still.  A new one may have the shadow of one not seen for long, whose calls are
 * closed.  The calls of a shadow that is taken over are closed before the new stack's bounds are
 * set, so that their depths are still those of the old one. */
static uint32_t use_stack(struct wcm_tracer *tracer, const struct wcm_regs *at, uintptr_t cfa)
{
	struct wcm_new_stack made = { .shadow = NULL };
	const uint32_t open = wcm__stacks_find(tracer, at, cfa, &made);

	if (!made.shadow)
		return open;
	close_stack(tracer, made.shadow, tracer->last);
	wcm__stacks_begin(tracer, &made);
	return 0;
}

static void find_stack_aside(void *argument)
{
	struct slow *slow = argument;

	slow->open = use_stack(slow->tracer, &slow->event->at, slow->cfa);
}

__attribute__((noinline)) static uint32_t
find_stack(struct wcm_tracer *tracer, const struct wcm_event *event, uintptr_t cfa)
{
	struct slow slow = { .tracer = tracer, .event = event, .cfa = cfa };

	wcm__aside_from(tracer, event->at.sp, find_stack_aside, &slow);
	return slow.open;
}

/* Find EVENT's stack, and close the calls whose frames are gone.  True where its
 * function is inlined in a frame that is there.  What is cheap is tried first: the frame
 * of an open call, then a plain callee of what is left, and the walk last. */
static bool settle_frames(struct wcm_tracer *tracer, const struct wcm_event *event,
			  uintptr_t cfa)
{
	const struct wcm_shadow *before = tracer->shadow;
	uint32_t open;

	/* A function that is inlined into another stack's frame is found only when that stack
	 * is. */
	if (joins_frame(tracer, event, cfa))
		return true;
	if (wcm__shadow_is_callee(before, event, cfa))
		return false;
	open = find_stack(tracer, event, cfa);
	if (tracer->shadow != before && joins_frame(tracer, event, cfa))
		return true;
	close_down_to(tracer, open, event->now);
	return false;
}

/* Close the inlined calls that an exception has left, as a call that returns to PC in their
 * frame shows.  An inlined function's frame is still there after an exception has left it, so
 * that frames tell nothing; where control goes on does. */
static void close_landed(struct wcm_tracer *tracer, uintptr_t pc, uint64_t now)
{
	const struct wcm_shadow *shadow = tracer->shadow;
	const struct wcm_call *call;

	while (wcm__shadow_can_have_landed(shadow)) {
		call = wcm__shadow_innermost(shadow);
		if (!wcm__landed_outside(call->ra, pc, call->handled))
			break;
		close_down_to(tracer, shadow->depth - 1, now);
	}
}

static void settle_landed(void *argument)
{
	const struct slow *slow = argument;
	const struct wcm_event *event = slow->event;

	close_landed(slow->tracer, slow->is_known ? event->at.pc : event->site, event->now);
	*slow->flags = slow->is_known && wcm__landed_can(event->at.pc) ? WCM_CALL_LANDS : 0;
}

/* Close what EVENT shows to have ended.  Returns the new call's flags. */
__attribute__((noinline)) static uint32_t
settle(struct wcm_tracer *tracer, const struct wcm_event *event, uintptr_t cfa)
{
	const bool is_inlined = settle_frames(tracer, event, cfa);
	uint32_t flags = 0;

	if (is_inlined || wcm__shadow_can_have_landed(tracer->shadow))
		wcm__aside_from(tracer, event->at.sp, settle_landed,
				&(struct slow){ tracer, event, .is_known = is_inlined,
						.flags = &flags });
	return flags;
}

/* Whether there is room for another call on TRACER's stack.  After one that found
 * none, there is none until the stack is less deep. */
static bool make_room(struct wcm_tracer *tracer, const struct wcm_event *event)
{
	struct wcm_shadow *shadow = tracer->shadow;

	if (shadow->dropped == 0 && wcm__stacks_grow(shadow))
		return true;
	/* The call has no entry, and its exit is known by its address alone: see is_dropped(). */
	shadow->dropped++;
	tracer->too_deep++;
	if (shadow->hi != 0) /* else it is NOWHERE: see there */
		wcm__shadow_note_extent(tracer,
					shadow->base + shadow->depth + (uint32_t)shadow->dropped,
					event->at.sp);
	return false;
}

__attribute__((always_inline)) static inline struct wcm_call *
open_call(struct wcm_tracer *tracer, const struct wcm_event *event, uintptr_t cfa,
	  uint32_t flags)
{
	const struct wcm_shadow *shadow = tracer->shadow;
	struct wcm_call *call;

	if (__builtin_expect(event->at.sp < shadow->lo, 0)) {
		wcm__shadow_reach(tracer->shadow, event->at.sp);
		tracer->sink = wcm__aside_sink_of(shadow);
	}
	if (__builtin_expect(shadow->depth == shadow->room, 0) &&
	    !make_room(tracer, event))
		return NULL;
	call = wcm__shadow_push(tracer, event, cfa, flags);
	if (__builtin_expect(flags & WCM_CALL_LANDS, 0))
		call->handled = wcm__landed_handled();
	return call;
}

/* Close the innermost calls as long as nothing tells of their exits and their frames end at
 * LEAST or below, which is on this stack: those frames are gone. */
__attribute__((noinline)) static void
close_silent(struct wcm_tracer *tracer, const struct wcm_event *event, uintptr_t least)
{
	const struct wcm_shadow *shadow = tracer->shadow;

	if (event->at.sp < shadow->lo || event->at.sp >= shadow->hi)
		return;
	while (wcm__shadow_is_silent(shadow) && wcm__shadow_innermost(shadow)->cfa <= least)
		wcm__shadow_close(tracer, event->now, WCM_END_SILENT);
}

/* How many calls are open on SHADOW up to the one of the frame at CFA that is to return, which
 * is in front of those that are inlined in it; 0: there is none. */
static uint32_t count_returning(const struct wcm_shadow *shadow, uintptr_t cfa)
{
	uint32_t count = count_at(shadow, cfa);

	while (count > 0 && shadow->call[count - 1].cfa == cfa &&
	       !(shadow->call[count - 1].flags & WCM_CALL_RETURNS))
		count--;
	return count > 0 && shadow->call[count - 1].cfa == cfa ? count : 0;
}

/* Close the calls that are open above the one of the frame at CFA that is to return.  False: there
 * is none, such as one that began before the trace, or that a hook has told the end of. */
static bool close_above(struct wcm_tracer *tracer, const struct wcm_event *event, uintptr_t cfa)
{
	uint32_t count = count_returning(tracer->shadow, cfa);

	if (count == 0 && wcm__stacks_switch(tracer, event->at.sp))
		count = count_returning(tracer->shadow, cfa);
	if (count == 0)
		return false;
	while (tracer->shadow->depth > count && wcm__shadow_is_silent(tracer->shadow) &&
	       wcm__shadow_innermost(tracer->shadow)->cfa == cfa) {
		wcm__shadow_innermost(tracer->shadow)->flags &= (uint8_t)~WCM_CALL_SILENT;
		wcm__shadow_close(tracer, event->now, WCM_END_EXIT);
	}
	close_down_to(tracer, count, event->now);
	return true;
}

/* Close the call that has returned from the frame at CFA, those that have jumped to it, and those
 * in the frame that did neither. */
__attribute__((noinline)) static void
close_returned(struct wcm_tracer *tracer, const struct wcm_event *event, uintptr_t cfa)
{
	bool is_tail;

	if (!close_above(tracer, event, cfa))
		return;
	do {
		is_tail = wcm__shadow_innermost(tracer->shadow)->flags & WCM_CALL_TAIL;
		wcm__shadow_close(tracer, event->now, WCM_END_EXIT);
	} while (is_tail && tracer->shadow->depth > 0);
}

/* How many calls, from the innermost down, EVENT's function takes the place of: those up to itself,
 * so that a loop of jumps has no end of calls; and the innermost where there are many. */
static uint32_t count_replaced(const struct wcm_shadow *shadow, const struct wcm_event *event)
{
	enum { MOST_JUMPS = 32 };
	const struct wcm_call *call = shadow->call + shadow->depth;
	uint32_t count = 0;

	do {
		count++;
		if ((--call)->func == event->func)
			return count;
	} while ((call->flags & WCM_CALL_TAIL) && call > shadow->call);
	return count < MOST_JUMPS ? 0 : 1;
}

/* EVENT's function was jumped to at the end of the one that is to return from the frame at CFA: it
 * is within that one, and both return at once.  Returns the flags of its call. */
__attribute__((noinline)) static uint32_t
join_tail(struct wcm_tracer *tracer, const struct wcm_event *event, uintptr_t cfa)
{
	const struct wcm_shadow *shadow;
	bool is_tail = true;

	if (!close_above(tracer, event, cfa))
		return WCM_CALL_RETURNS;
	shadow = tracer->shadow;
	for (uint32_t left = count_replaced(shadow, event); left > 0; left--) {
		is_tail = wcm__shadow_innermost(shadow)->flags & WCM_CALL_TAIL;
		wcm__shadow_close(tracer, event->now, WCM_END_EXIT);
	}
	return is_tail ? WCM_CALL_RETURNS | WCM_CALL_TAIL : WCM_CALL_RETURNS;
}

__attribute__((noinline)) static bool has_stub(const struct wcm_call *call,
					       const struct wcm_event *event)
{
	return wcm__stub_code_holds(call->ra) && !wcm__stub_code_holds(event->at.pc) &&
	       (event->site == call->site || wcm__arch_trampoline_number(event->site) >= 0);
}

/* Whether the innermost open call is that of a library function, and EVENT's is that function,
 * whose frame is at CFA: both return at once. */
static inline bool is_of_library(const struct wcm_shadow *shadow, const struct wcm_event *event,
				 uintptr_t cfa)
{
	const struct wcm_call *top = wcm__shadow_innermost(shadow);

	return __builtin_expect(shadow->depth > 0 && top->cfa == cfa && has_stub(top, event), 0);
}

void wcm__shadow_return(struct wcm_tracer *tracer, const struct wcm_event *event)
{
	if (wcm__shadow_returns_from(tracer->shadow, event->at.sp))
		wcm__shadow_close(tracer, event->now, WCM_END_EXIT);
	else
		close_returned(tracer, event, event->at.sp);
}

struct wcm_call *wcm__shadow_enter_at(struct wcm_tracer *tracer,
				      const struct wcm_event *event, uintptr_t cfa,
				      uint32_t flags)
{
	const bool is_silent = wcm__shadow_is_silent(tracer->shadow);

	/* One of a library's function is none of these. */
	if (!is_silent && !(flags & WCM_CALL_TAIL) &&
	    __builtin_expect(wcm__shadow_is_plain(tracer->shadow, event, cfa), 1))
		return open_call(tracer, event, cfa, flags);
	if (is_of_library(tracer->shadow, event, cfa))
		return open_call(tracer, event, cfa,
				 flags & WCM_CALL_TAIL ? WCM_CALL_SILENT : flags);
	if (is_silent)
		close_silent(tracer, event, cfa - (flags & WCM_CALL_TAIL ? 1 : 0));
	if (flags & WCM_CALL_TAIL) {
		flags = join_tail(tracer, event, cfa);
		if (flags & WCM_CALL_TAIL)
			return open_call(tracer, event, cfa, flags);
	}
	if (!__builtin_expect(wcm__shadow_is_plain(tracer->shadow, event, cfa), 1))
		flags |= settle(tracer, event, cfa);
	return open_call(tracer, event, cfa, flags);
}

/* The frame is looked for where the innermost call can be the same alone. */
bool wcm__shadow_adopt(struct wcm_tracer *tracer, const struct wcm_event *event)
{
	struct wcm_call *call = wcm__shadow_innermost(tracer->shadow);
	uintptr_t cfa;

	if (!__builtin_expect(wcm__hook_frame_peek(&event->at, &cfa), 1))
		cfa = find_frame(tracer, event);
	if (call->func == event->func && call->cfa == cfa) {
		call->flags &= (uint8_t)~(WCM_CALL_SILENT | WCM_CALL_RETURNS);
		call->sp = event->at.sp + WCM_HOOK_ARGUMENTS;
		call->ra = event->at.pc;
		return true;
	}
	if (!is_of_library(tracer->shadow, event, cfa))
		close_silent(tracer, event, cfa);
	return false;
}

struct wcm_call *wcm__shadow_enter(struct wcm_tracer *tracer,
				   const struct wcm_event *event)
{
	struct wcm_call *call;
	uint32_t flags = 0;
	uintptr_t cfa;

	if (!__builtin_expect(wcm__hook_frame_peek(&event->at, &cfa), 1))
		cfa = find_frame(tracer, event);
	/* The hot path ends here: a callee of the innermost call, in which nothing lands. */
	if (!__builtin_expect(wcm__shadow_is_plain(tracer->shadow, event, cfa), 1) &&
	    !is_of_library(tracer->shadow, event, cfa))
		flags = settle(tracer, event, cfa);
	call = open_call(tracer, event, cfa, flags);
	/* What it calls next may stand where the hook's arguments were. */
	if (WCM_HOOK_ARGUMENTS && call)
		call->sp += WCM_HOOK_ARGUMENTS;
	return call;
}

/* Whether EVENT is the exit of the innermost call.  The hook may be the last thing that
 * the function calls, by a jump when its own frame is gone: then the stack pointer is at
 * the frame's end, and the hook returns to where the function does. */
static bool is_last(const struct wcm_shadow *shadow,
		    const struct wcm_event *event)
{
	const struct wcm_call *top = wcm__shadow_innermost(shadow);

	return top->func == event->func &&
	       (event->at.sp + WCM_HOOK_ARGUMENTS == top->sp ||
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
 * below the innermost of those for which there was, or on the stack where there was room for
 * none.  They are counted, not kept, so that this is told by addresses alone. */
static bool is_dropped(const struct wcm_shadow *shadow,
		       const struct wcm_event *event)
{
	return shadow->dropped > 0 && event->at.sp >= shadow->lo &&
	       (shadow->depth == 0 || event->at.sp <= wcm__shadow_innermost(shadow)->sp);
}

/* An exit that is not the innermost call's: calls in between were left without a word, or
 * the call is on another stack, as a coroutine's that has been switched to. */
static bool leave_other(struct wcm_tracer *tracer, const struct wcm_event *event)
{
	const bool is_tail = event->at.pc == event->site;
	const uintptr_t cfa = is_tail ? event->at.sp
				      : wcm__hook_frame_find(&event->at);
	uint32_t count = find(tracer->shadow, event->func, cfa);

	if (count == 0 && is_dropped(tracer->shadow, event)) {
		tracer->shadow->dropped--;
		return true;
	}
	if (count == 0 && wcm__stacks_switch(tracer, event->at.sp))
		/* The exit's frame may be on another stack. */
		count = find(tracer->shadow, event->func, cfa);
	/* An exit without an entry: the call began before the trace did, or was taken for ended. */
	if (count == 0)
		return false;
	close_down_to(tracer, count, event->now);
	wcm__shadow_close(tracer, event->now, WCM_END_EXIT);
	return true;
}

static void leave_aside(void *argument)
{
	struct slow *slow = argument;

	slow->is_known = leave_other(slow->tracer, slow->event);
}

__attribute__((noinline)) static bool
leave_slowly(struct wcm_tracer *tracer, const struct wcm_event *event)
{
	struct slow slow = { .tracer = tracer, .event = event };

	wcm__aside_from(tracer, event->at.sp, leave_aside, &slow);
	return slow.is_known;
}

bool wcm__shadow_leave(struct wcm_tracer *tracer, const struct wcm_event *event)
{
	const struct wcm_shadow *shadow = tracer->shadow;

	if (wcm__shadow_is_silent(shadow))
		close_silent(tracer, event, event->at.sp);
	if (shadow->depth == 0 || !is_last(shadow, event))
		return leave_slowly(tracer, event);
	wcm__shadow_close(tracer, event->now, WCM_END_EXIT);
	return true;
}

/* No stack holds what this one is asked for.  Its bounds are empty and its depth is 0, so that
 * the first event takes the slow way, which finds the real one.  Where there is no memory for
 * that, the calls that are dropped are counted here. */
static struct wcm_shadow nowhere;

/* Shadows of an earlier trace keep their memory and lose their bounds. */
void wcm__shadow_begin(struct wcm_tracer *tracer)
{
	for (struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		shadow->lo = shadow->hi = shadow->floor = shadow->depth = 0;
	tracer->shadow = &nowhere;
}

void wcm__shadow_close_all(struct wcm_tracer *tracer, uint64_t now)
{
	for (struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		close_stack(tracer, shadow, now);
}
