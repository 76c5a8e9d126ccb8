/* SPDX-License-Identifier: MIT */
/* handle_event.h (SAFE) - the order in which an event is handled, whatever its source. */
#ifndef WCM_PROBE_HANDLE_EVENT_H
#define WCM_PROBE_HANDLE_EVENT_H

#include "trace/engine/gate.h"
#include "trace/engine/sharing.h"
#include "trace/engine/shadow.h"
#include "trace/engine/sink.h"
#include "trace/engine/ticks.h"
#include "trace/engine/tracer_life.h"

/* The calling thread's tracer, which is open, for an event that nothing is to be made or
 * asked for; NULL: there is none, and nothing has changed. */
__attribute__((always_inline)) static inline struct wcm_tracer *
wcm__event_begin_plainly(const struct wcm_regs *at)
{
	struct wcm_tracer *tracer = wcm__tracer_own;

	return __builtin_expect(tracer != NULL, 1) &&
			       wcm__sharing_is_seen_at(tracer, at->sp) &&
			       __builtin_expect(tracer->inside == 0, 1) &&
			       __builtin_expect(!wcm__tracer_is_in_child(), 1) &&
			       wcm__tracer_enter(tracer, at) ?
		       tracer : NULL;
}

/* The calling thread's tracer, for this event; NULL: there is to be none. */
__attribute__((always_inline)) static inline struct wcm_tracer *
wcm__event_begin(const struct wcm_regs *at)
{
	struct wcm_tracer *tracer = wcm__event_begin_plainly(at);

	return __builtin_expect(tracer != NULL, 1) ? tracer : wcm__tracer_enter_slowly(at);
}

static inline uint64_t wcm__event_now(const struct wcm_tracer *tracer)
{
	return wcm__gate.flags & WCM_TRACE_NO_TIMES ? 0 :
						      wcm__ticks_after(tracer->last);
}

/* The same where that asks no clock; else false. */
__attribute__((always_inline)) static inline bool
wcm__event_now_plainly(const struct wcm_tracer *tracer, uint64_t *now)
{
	*now = 0;
	return wcm__gate.flags & WCM_TRACE_NO_TIMES || wcm__ticks_counted(tracer->last, now);
}

/* CALL has begun; NULL: there was no room for it. */
static inline void wcm__event_tell(struct wcm_tracer *tracer, struct wcm_call *call)
{
	tracer->calls++;
	if (__builtin_expect(call != NULL, 1))
		tracer->sink->enter(tracer, call,
				    wcm__shadow_depth(tracer->shadow, call));
	else
		tracer->lost++;
}

/* A function is entered. */
__attribute__((always_inline)) static inline void wcm__event_enter(struct wcm_event *event)
{
	struct wcm_tracer *tracer = wcm__event_begin(&event->at);

	if (!tracer)
		return;
	event->now = tracer->last = wcm__event_now(tracer);
	if (!wcm__shadow_is_by_sled(tracer->shadow) || !wcm__shadow_adopt(tracer, event))
		wcm__event_tell(tracer, wcm__shadow_enter(tracer, event));
	wcm__tracer_leave(tracer);
}

/* The same of one that a sled tells of, whose frame is at CFA.  FLAGS say what tells of its
 * end.  False: it is not taken for open, and nothing should. */
__attribute__((always_inline)) static inline bool
wcm__event_enter_at(struct wcm_event *event, uintptr_t cfa, uint32_t flags)
{
	struct wcm_tracer *tracer = wcm__event_begin(&event->at);
	struct wcm_call *call;

	if (!tracer)
		return false;
	event->now = tracer->last = wcm__event_now(tracer);
	call = wcm__shadow_enter_at(tracer, event, cfa, flags);
	tracer->told = event->told;
	wcm__event_tell(tracer, call);
	tracer->told = NULL;
	wcm__tracer_leave(tracer);
	return call != NULL;
}

/* The function whose frame ended at EVENT's stack pointer has returned. */
__attribute__((always_inline)) static inline void wcm__event_return(struct wcm_event *event)
{
	struct wcm_tracer *tracer = wcm__event_begin(&event->at);

	if (!tracer)
		return;
	event->now = tracer->last = wcm__event_now(tracer);
	tracer->told = event->told;
	wcm__shadow_return(tracer, event);
	tracer->told = NULL;
	wcm__tracer_leave(tracer);
}

/* A frame's end for what has none of its own, at the stack pointer SP: below what the innermost
 * call is known to have, if that is there still. */
static inline uintptr_t wcm__event_frame(const struct wcm_shadow *shadow, uintptr_t sp)
{
	const struct wcm_call *top = shadow->depth > 0 ? wcm__shadow_innermost(shadow) : NULL;

	return top && sp < top->cfa && sp > top->sp ? top->sp : sp;
}

/* A static probe has been come to: a call that ends as it begins. */
static inline void wcm__event_instant(struct wcm_event *event)
{
	struct wcm_tracer *tracer = wcm__event_begin(&event->at);
	struct wcm_call *call;

	if (!tracer)
		return;
	event->now = tracer->last = wcm__event_now(tracer);
	event->at.sp = wcm__event_frame(tracer->shadow, event->at.sp);
	call = wcm__shadow_enter_at(tracer, event, event->at.sp, WCM_CALL_RETURNS);
	tracer->told = event->told;
	wcm__event_tell(tracer, call);
	if (call)
		wcm__shadow_close(tracer, event->now, WCM_END_EXIT);
	tracer->told = NULL;
	wcm__tracer_leave(tracer);
}

/* As wcm__event_enter_at(), of a call that is to return, with general registers alone and
 * nothing of libc's.  False: that does not do, and nothing has changed.  GIVEN is NULL where
 * nobody asks for it. */
__attribute__((always_inline)) static inline bool
wcm__event_enter_plainly(struct wcm_event *event, uintptr_t cfa, const struct wcm_given *given)
{
	struct wcm_tracer *tracer = wcm__event_begin_plainly(&event->at);
	bool is_plain = false;

	if (!tracer)
		return false;
	if (wcm__shadow_is_plain(tracer->shadow, event, cfa) &&
	    tracer->sink->enter_fast &&
	    wcm__event_now_plainly(tracer, &event->now)) {
		struct wcm_shadow *shadow = tracer->shadow;
		struct wcm_call *call =
			wcm__shadow_fill(shadow, event, cfa, WCM_CALL_RETURNS);

		const uint32_t depth = shadow->base + shadow->depth - call->hidden;

		is_plain = tracer->sink->enter_fast(tracer, call, depth, given);
		if (is_plain) {
			tracer->last = event->now;
			tracer->calls++;
			wcm__shadow_reach(shadow, event->at.sp);
			wcm__shadow_opened(tracer, event->at.sp);
		}
	}
	wcm__tracer_leave(tracer);
	return is_plain;
}

/* As wcm__event_return(), in the same way. */
__attribute__((always_inline)) static inline bool
wcm__event_return_plainly(const struct wcm_regs *at, const struct wcm_given *given)
{
	struct wcm_tracer *tracer = wcm__event_begin_plainly(at);
	bool is_plain = false;
	uint64_t now;

	if (!tracer)
		return false;
	if (wcm__shadow_returns_from(tracer->shadow, at->sp) &&
	    tracer->sink->leave_fast &&
	    wcm__event_now_plainly(tracer, &now)) {
		struct wcm_shadow *shadow = tracer->shadow;
		struct wcm_call *call = wcm__shadow_innermost(shadow);

		const uint32_t depth = shadow->base + shadow->depth - 1 - call->hidden;

		is_plain = tracer->sink->leave_fast(tracer, call, depth, now, given);
		if (is_plain) {
			tracer->last = now;
			wcm__shadow_closed(shadow, now - call->begin);
		}
	}
	wcm__tracer_leave(tracer);
	return is_plain;
}

/* A function is left. */
__attribute__((always_inline)) static inline void wcm__event_leave(struct wcm_event *event)
{
	struct wcm_tracer *tracer = wcm__event_begin(&event->at);

	if (!tracer)
		return;
	event->now = tracer->last = wcm__event_now(tracer);
	wcm__shadow_leave(tracer, event);
	wcm__tracer_leave(tracer);
}

#endif
