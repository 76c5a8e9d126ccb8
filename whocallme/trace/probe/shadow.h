/* SPDX-License-Identifier: MIT */
/* shadow.h - the shadow stack: the calls that are open in a thread. */
#ifndef WCM_PROBE_SHADOW_H
#define WCM_PROBE_SHADOW_H

#include "trace/probe/event.h"
#include "trace/probe/tracer.h"

/* EVENT's call begins: close those whose frames are gone, and open it.  NULL: there
 * is no room; it is counted, and its exit will be known. */
struct wcm_call *wcm__shadow_enter(struct wcm_tracer *tracer,
				   const struct wcm_event *event);

/* The same of a call whose frame is known to be at CFA.  FLAGS is WCM_CALL_SILENT or
 * WCM_CALL_RETURNS; with the latter, WCM_CALL_TAIL, it takes the place of the call that had
 * the frame before, which has ended by calling it. */
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

/* TRACER is on no known stack, and no call is open. */
void wcm__shadow_begin(struct wcm_tracer *tracer);

/* Close all that is open on any of TRACER's stacks, as unwound. */
void wcm__shadow_close_all(struct wcm_tracer *tracer);

#endif
