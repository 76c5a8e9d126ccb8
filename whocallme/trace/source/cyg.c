/* SPDX-License-Identifier: MIT */
/* cyg.c - the hooks that code built with -finstrument-functions calls.
 *
 * A hook runs wherever its program does: in a signal handler, under malloc's lock, on a
 * coroutine's stack.  It leaves errno alone, and what it calls itself is never traced.
 */
#include "whocallme/trace.h"

#include "core/arch/arch.h"
#include "trace/probe/gate.h"
#include "trace/probe/interrupted.h"
#include "trace/probe/shadow.h"
#include "trace/probe/sink.h"
#include "trace/probe/ticks.h"
#include "trace/probe/tracer_life.h"

/* trace/control/trace_start.c reads WHOCALLME_TRACE before main.  A static link that refers
 * to nothing but the hooks gets it by this reference; it is never followed. */
extern const char wcm__trace_control;
__attribute__((used)) static const char *const control = &wcm__trace_control;

/* The calling thread's tracer, for this event; NULL: there is to be none. */
static inline struct wcm_tracer *begin(const struct wcm_regs *at)
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

static inline uint64_t now(const struct wcm_tracer *tracer)
{
	return wcm__gate.flags & WCM_TRACE_NO_TIMES ? 0 :
						      wcm__ticks_after(tracer->last);
}

__attribute__((always_inline)) static inline void enter(struct wcm_event *event)
{
	struct wcm_tracer *tracer = begin(&event->at);
	struct wcm_call *call;

	if (!tracer)
		return;
	event->now = tracer->last = now(tracer);
	call = wcm__shadow_enter(tracer, event);
	tracer->calls++;
	if (__builtin_expect(call != NULL, 1))
		tracer->sink->enter(tracer, call,
				    wcm__shadow_depth(tracer->shadow, call));
	else
		tracer->lost++;
	wcm__tracer_leave(tracer);
}

__attribute__((always_inline)) static inline void leave(struct wcm_event *event)
{
	struct wcm_tracer *tracer = begin(&event->at);

	if (!tracer)
		return;
	event->now = tracer->last = now(tracer);
	wcm__shadow_leave(tracer, event);
	wcm__tracer_leave(tracer);
}

void __cyg_profile_func_enter(void *func, void *call_site)
{
	if (wcm__gate_is_open())
		enter(&(struct wcm_event){ .func = (uintptr_t)func,
					   .site = (uintptr_t)call_site,
					   .at = WCM_ARCH_CALLER(), .now = 0 });
}

void __cyg_profile_func_exit(void *func, void *call_site)
{
	if (wcm__gate_is_open())
		leave(&(struct wcm_event){ .func = (uintptr_t)func,
					   .site = (uintptr_t)call_site,
					   .at = WCM_ARCH_CALLER(), .now = 0 });
}
