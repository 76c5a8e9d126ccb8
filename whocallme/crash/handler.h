/* SPDX-License-Identifier: MIT */
/* handler.h - the handler as the program may call it. */
#ifndef WCM_CRASH_HANDLER_H
#define WCM_CRASH_HANDLER_H

#include <signal.h>

/* For a handler of the program's that ours has called and that has no use for the
 * signal: report it; the process dies when that handler returns. */
void wcm__crash_hand_down(int signal, siginfo_t *info, void *ucontext);

#endif
