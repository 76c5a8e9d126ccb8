/* SPDX-License-Identifier: MIT */
/* interrupted.h - has a signal interrupted the hook that was running? */
#ifndef WCM_HOOK_INTERRUPTED_H
#define WCM_HOOK_INTERRUPTED_H

#include "hook/tracer.h"
#include "unwind/step.h"

/* Whether the hook that TRACER was in is among the callers of the code at AT, which
 * has called another: a signal has interrupted it.  Else it was left by a jump out of
 * the handler. */
bool wcm__hook_is_interrupted(struct wcm_tracer *tracer, const struct wcm_regs *at);

#endif
