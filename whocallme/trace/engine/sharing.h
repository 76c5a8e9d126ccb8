/* SPDX-License-Identifier: MIT */
/* sharing.h (SAFE) - tells the thread that a tracer is of from those that share its variables.
 *
 * clone(2) without CLONE_SETTLS makes one that does, and both may be in a hook at once.  Such a
 * thread has a stack of its own, so that the kernel is asked who runs where an event is not on the
 * part of a stack that the tracer's thread has been seen on.  The calls of the others are passed
 * over, and counted.  The child of vfork(2) is on its parent's stack, and that waits for it.
 */
#ifndef WCM_PROBE_SHARING_H
#define WCM_PROBE_SHARING_H

#include "trace/engine/tracer.h"

/* Whether SP is on the stack in use, where TRACER's thread has been seen: nothing is asked. */
static inline bool wcm__sharing_is_seen_at(const struct wcm_tracer *tracer, uintptr_t sp)
{
	const struct wcm_shadow *shadow = tracer->shadow;

	return __builtin_expect(sp >= shadow->seen && sp < shadow->hi, 1);
}

/* The tracer that the calling thread, at SP, may use, of TRACER, which its thread-local variables
 * have; NULL: that is another thread's. */
struct wcm_tracer *wcm__sharing_ask(struct wcm_tracer *tracer, uintptr_t sp);

static inline struct wcm_tracer *wcm__sharing_tracer(uintptr_t sp)
{
	struct wcm_tracer *tracer = wcm__tracer_own;

	return !tracer || wcm__sharing_is_seen_at(tracer, sp) ? tracer :
							       wcm__sharing_ask(tracer, sp);
}

/* Whether the calling thread, at SP, is on the stack that goes with its thread-local variables, and
 * no thread is known to share them. */
bool wcm__sharing_may_own(uintptr_t sp);

/* Whether the thread-local variables are known to be of another thread than the calling one. */
bool wcm__sharing_is_guest(void);

/* A child of fork(2) has a copy of them, which is its own. */
void wcm__sharing_forget(void);

/* The calling thread is about to make another that shares its thread-local variables. */
void wcm__sharing_begins(void);

/* An event is passed over. */
void wcm__sharing_pass_over(void);

/* How many were since the trace began. */
uint64_t wcm__sharing_passed_over(void);

/* A trace begins. */
void wcm__sharing_reset(void);

#endif
