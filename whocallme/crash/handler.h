/* SPDX-License-Identifier: MIT */
/* handler.h (SAFE) - what the program, and tracing, may ask of the handler. */
#ifndef WCM_CRASH_HANDLER_H
#define WCM_CRASH_HANDLER_H

#include <signal.h>

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

#endif
