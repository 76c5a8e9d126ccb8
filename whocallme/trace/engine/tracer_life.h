/* SPDX-License-Identifier: MIT */
/* tracer_life.h (SAFE) - a tracer begins, ends with its thread, and is handed on to another. */
#ifndef WCM_PROBE_TRACER_LIFE_H
#define WCM_PROBE_TRACER_LIFE_H

#include "core/unwind/step.h"
#include "trace/engine/tracer.h"
#include "whocallme/trace.h"

/* Begin to trace the calling thread, whose tracer is TRACER or NULL: for a new
 * trace, or in a child.  NULL: nothing is traced any more, or no memory. */
struct wcm_tracer *wcm__tracer_begin(struct wcm_tracer *tracer);

/* A hook that was called at AT announces itself, whatever it takes to have a tracer for it.  NULL:
 * there is none for this event, which is counted where that loses it. */
struct wcm_tracer *wcm__tracer_enter_slowly(const struct wcm_regs *at);

/* Before a trace: see to it that a child is known as one; forget what was counted. */
void wcm__tracers_prepare(void);

/* The calling thread is about to end, and its frames are gone: close what it has open. */
void wcm__tracer_close_calls(void);

/* Close what threads that have ended left open, at the times of their latest events. */
void wcm__tracers_settle(void);

/* What the latest trace has counted, in threads that have ended, too. */
void wcm__tracers_count(struct wcm_trace_counts *counts);

/* The calling thread's event is lost, for which there is no memory.  Returns false, as a sink's
 * begin does. */
bool wcm__tracers_starve(void);

/* How many events were. */
uint64_t wcm__tracers_starved(void);

/* How many calls of this trace found no room, too many being open. */
uint64_t wcm__tracers_too_deep(void);

/* interrupted.c: distinguishes a hook that a signal has interrupted from one that a jump left. */

/* Whether the hook that TRACER was in is among the callers of the code at AT, which
 * has called another: a signal has interrupted it.  Else it was left by a jump out of
 * the handler. */
bool wcm__hook_is_interrupted(struct wcm_tracer *tracer, const struct wcm_regs *at);

#endif
