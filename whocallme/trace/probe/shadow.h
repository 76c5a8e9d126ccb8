/* SPDX-License-Identifier: MIT */
/* shadow.h - which calls are open? */
#ifndef WCM_HOOK_SHADOW_H
#define WCM_HOOK_SHADOW_H

#include "hook/tracer.h"
#include "unwind/step.h"

/* What a hook is told, and where it was called from. */
struct wcm_event {
	uintptr_t func, site;
	struct wcm_regs at; /* in the function, behind the call of the hook */
	uint64_t now;
};

/* EVENT's call begins: close those whose frames are gone, and open it.  NULL: there
 * is no room; it is counted, and its exit will be known. */
struct wcm_call *wcm__shadow_enter(struct wcm_tracer *tracer,
				   const struct wcm_event *event);

/* EVENT's call ends: close it, and those in it that are still open.  False where it
 * is none that was opened. */
bool wcm__shadow_leave(struct wcm_tracer *tracer, const struct wcm_event *event);

/* The depth of CALL, an open one of the stack in use, as sinks are told it. */
static inline uint32_t wcm__shadow_depth(const struct wcm_tracer *tracer,
					 const struct wcm_call *call)
{
	return tracer->shadow->base + (uint32_t)(call - tracer->shadow->call) -
	       call->hidden;
}

/* The function that made CALL, an open one of SHADOW, passing over those with a flag of
 * EXCEPT; of a signal handler on a stack of its own, that which was interrupted.  0:
 * none that is traced. */
uintptr_t wcm__shadow_caller(const struct wcm_shadow *shadow,
			     const struct wcm_call *call, uint32_t except);

/* The open calls of SHADOW that sinks know nothing of. */
uint32_t wcm__shadow_hidden(const struct wcm_shadow *shadow);

/* TRACER is on no known stack, and no call is open. */
void wcm__shadow_begin(struct wcm_tracer *tracer);

/* Close all that is open on SHADOW, one of TRACER's, as unwound. */
void wcm__shadow_close(struct wcm_tracer *tracer, struct wcm_shadow *shadow);

/* The same on any stack. */
void wcm__shadow_close_all(struct wcm_tracer *tracer);

#endif
