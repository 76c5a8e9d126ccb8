/* SPDX-License-Identifier: MIT */
/* sharing.c (SAFE) - tells the thread that a tracer is of from those that share its variables. */
#include "trace/engine/sharing.h"

#include "core/os/self.h"
#include "core/unwind/stack_span.h"

static uint64_t passed_over;

/* The thread that these variables are of, where it has said so: libc's clone() is told.  0: that
 * is not known. */
static __thread int owner __attribute__((tls_model("initial-exec")));

/* Its thread has been on all of the stack in use, and is at SP now, maybe little below.  A stack
 * has its pages alone.  Where the thread has others on arrays in its frames, each event asks. */
static void note_seen(struct wcm_tracer *tracer, uintptr_t sp)
{
	struct wcm_shadow *shadow = tracer->shadow;
	const bool is_below = sp < shadow->lo && shadow->lo - sp <= WCM_PAGE;

	if (tracer->is_guest && wcm__stack_is_threads(sp))
		tracer->is_guest = false;
	if (owner == 0 && shadow->hi != 0)
		shadow->seen = (is_below ? sp : shadow->lo) & ~(uintptr_t)(WCM_PAGE - 1);
}

/* The child of vfork(2), which uses its parent's tracer while that waits, is a thread by another
 * number on the stack of the variables' own. */
struct wcm_tracer *wcm__sharing_ask(struct wcm_tracer *tracer, uintptr_t sp)
{
	const int tid = wcm__thread_id();

	if (wcm__tracer_is_in_child() || wcm__tracer_process()->pid == 0)
		return tracer;
	if (tid == tracer->number) {
		note_seen(tracer, sp);
		return tracer;
	}
	return !tracer->is_guest && wcm__sharing_may_own(sp) ? tracer : NULL;
}

bool wcm__sharing_may_own(uintptr_t sp)
{
	return owner == 0 && wcm__stack_is_threads(sp);
}

bool wcm__sharing_is_guest(void)
{
	return owner != 0 && !wcm__tracer_is_in_child() && owner != wcm__thread_id();
}

void wcm__sharing_forget(void)
{
	owner = 0;
}

/* A thread that shares them itself changes nothing. */
void wcm__sharing_begins(void)
{
	struct wcm_tracer *tracer = wcm__tracer_own;

	if (owner == 0 || wcm__tracer_is_in_child())
		owner = wcm__thread_id();
	for (struct wcm_shadow *shadow = tracer ? tracer->shadows : NULL; shadow;
	     shadow = shadow->next)
		shadow->seen = UINTPTR_MAX;
}

void wcm__sharing_pass_over(void)
{
	__atomic_fetch_add(&passed_over, 1, __ATOMIC_RELAXED);
}

uint64_t wcm__sharing_passed_over(void)
{
	return __atomic_load_n(&passed_over, __ATOMIC_RELAXED);
}

void wcm__sharing_reset(void)
{
	passed_over = 0;
}
