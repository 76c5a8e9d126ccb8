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
