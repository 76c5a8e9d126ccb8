/* SPDX-License-Identifier: MIT */
/* outputs.h (SAFE) - writes the report to its outputs, file and descriptor, in turn. */
#ifndef WCM_CRASH_OUTPUTS_H
#define WCM_CRASH_OUTPUTS_H

#include <signal.h>
#include <stdint.h>

#include "crash/options.h"

/* How long a report that took all of its time may wait to be appended. */
enum { WCM_APPENDING_NS = 200000000 };

/* Report what the handler was given, INFO and UCONTEXT, to where PLAN wants it, and then
 * the source lines, by DEADLINE (of wcm__clock_ns()). */
void wcm__outputs_report(const struct wcm_crash_plan *plan, const siginfo_t *info,
			 const void *ucontext, uint64_t deadline);

/* The stacks of all threads, the calling one's from UCONTEXT on, to the descriptor of
 * PLAN. */
void wcm__outputs_threads(const struct wcm_crash_plan *plan, const void *ucontext);

#endif
