/* SPDX-License-Identifier: MIT */
/* handle_event.h - the order in which an event is handled, whatever its source. */
#ifndef WCM_PROBE_HANDLE_EVENT_H
#define WCM_PROBE_HANDLE_EVENT_H

#include "trace/probe/gate.h"
#include "trace/probe/interrupted.h"
#include "trace/probe/shadow.h"
#include "trace/probe/sink.h"
#include "trace/probe/ticks.h"
#include "trace/probe/tracer_life.h"

/* The calling thread's tracer, for this event; NULL: there is to be none. */
static inline struct wcm_tracer *wcm__event_begin(const struct wcm_regs *at)
{
	struct wcm_tracer *tracer = wcm__tracer_own;

	if (tracer && __builtin_expect(tracer->inside != 0, 0) &&
	    wcm__hook_is_interrupted(tracer, at)) {
		tracer->lost++;
		return NULL;
	}
	if (__builtin_expect(tracer && !wcm__tracer_is_in_child(), 1) &&
	    wcm__tracer_enter(tracer, at))
		return tracer;
	tracer = wcm__tracer_begin(tracer);
	return tracer && wcm__tracer_enter(tracer, at) ? tracer : NULL;
}

static inline uint64_t wcm__event_now(const struct wcm_tracer *tracer)
{
	return wcm__gate.flags & WCM_TRACE_NO_TIMES ? 0 :
						      wcm__ticks_after(tracer->last);
}

/* Whether that asks no clock. */
static inline bool wcm__event_time_is_plain(void)
{
	return (wcm__gate.flags & WCM_TRACE_NO_TIMES) || wcm__ticks_are_counted();
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
	wcm__event_tell(tracer, call);
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
	wcm__shadow_return(tracer, event);
	wcm__tracer_leave(tracer);
}

/* The calling thread's tracer, which is open, for an event that nothing is to be made or
 * asked for; NULL: there is none, and nothing has changed. */
static inline struct wcm_tracer *wcm__event_begin_plainly(const struct wcm_regs *at)
{
	struct wcm_tracer *tracer = wcm__tracer_own;

	return tracer && tracer->inside == 0 && !wcm__tracer_is_in_child() &&
			       wcm__event_time_is_plain() && wcm__tracer_enter(tracer, at) ?
		       tracer : NULL;
}

/* As wcm__event_enter_at(), of a call that is to return, with general registers alone and
 * nothing of libc's.  False: that does not do, and nothing has changed. */
__attribute__((always_inline)) static inline bool
wcm__event_enter_plainly(struct wcm_event *event, uintptr_t cfa)
{
	struct wcm_tracer *tracer = wcm__event_begin_plainly(&event->at);
	struct wcm_shadow *shadow;
	bool is_plain;

	if (!tracer)
		return false;
	shadow = tracer->shadow;
	is_plain = shadow->depth < shadow->room && !wcm__shadow_is_silent(shadow) &&
		   wcm__shadow_is_plain(shadow, event, cfa) && tracer->sink->enters_plainly &&
		   tracer->sink->enters_plainly(tracer, event->func);
	if (is_plain) {
		event->now = tracer->last = wcm__event_now(tracer);
		wcm__shadow_reach(shadow, event->at.sp);
		wcm__event_tell(tracer,
				wcm__shadow_push(tracer, event, cfa, WCM_CALL_RETURNS));
	}
	wcm__tracer_leave(tracer);
	return is_plain;
}

/* As wcm__event_return(), in the same way. */
__attribute__((always_inline)) static inline bool
wcm__event_return_plainly(const struct wcm_regs *at)
{
	struct wcm_tracer *tracer = wcm__event_begin_plainly(at);
	bool is_plain;

	if (!tracer)
		return false;
	is_plain = wcm__shadow_returns_from(tracer->shadow, at->sp) &&
		   tracer->sink->leaves_plainly && tracer->sink->leaves_plainly(tracer);
	if (is_plain) {
		tracer->last = wcm__event_now(tracer);
		wcm__shadow_close(tracer, tracer->last, WCM_END_EXIT);
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
