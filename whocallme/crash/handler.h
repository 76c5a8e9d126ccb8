/* SPDX-License-Identifier: MIT */
/* handler.h (SAFE) - what the program, and tracing, may ask of the handler. */
#ifndef WCM_CRASH_HANDLER_H
#define WCM_CRASH_HANDLER_H

#include <signal.h>
#include <stdint.h>

#include "crash/options.h"

/* For a handler of the program's that ours has called and that has no use for the
 * signal: report it; the process dies when that handler returns. */
void wcm__crash_hand_down(int signal, siginfo_t *info, void *ucontext);

/* The calling thread is about to end itself or the process; or to send SIGNAL to PID, as kill(2)
 * takes it, which may be the process and end it.  Where it does so in a handler of the program's
 * that ours has called and that came before the report, the fault is reported now. */
void wcm__crash_ends(void);
void wcm__crash_ends_by(int pid, int signal);

/* Have ALSO called when a crash has been reported and the process may die; it is
 * async-signal-safe and may be called in any thread. */
void wcm__crash_also(void (*also)(void));

/* outputs.c: writes the report to its outputs, file and descriptor, in turn. */

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
