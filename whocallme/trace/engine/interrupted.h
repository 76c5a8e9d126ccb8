/* SPDX-License-Identifier: MIT */
/* interrupted.h (SAFE) - tells a hook that a signal has interrupted from one that was left by a
 * jump. */
#ifndef WCM_PROBE_INTERRUPTED_H
#define WCM_PROBE_INTERRUPTED_H

#include "core/unwind/step.h"
#include "trace/engine/tracer.h"

/* Whether the hook that TRACER was in is among the callers of the code at AT, which
 * has called another: a signal has interrupted it.  Else it was left by a jump out of
 * the handler. */
bool wcm__hook_is_interrupted(struct wcm_tracer *tracer, const struct wcm_regs *at);

#endif
