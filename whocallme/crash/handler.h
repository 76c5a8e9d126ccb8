/* SPDX-License-Identifier: MIT */
/* handler.h - the report of one crash. */
#ifndef WCM_CRASH_HANDLER_H
#define WCM_CRASH_HANDLER_H

#include <signal.h>

/* Write what happened to FD: INFO and UCONTEXT are what the handler was given. */
void wcm__crash_report(int fd, const siginfo_t *info, const void *ucontext);

#endif
