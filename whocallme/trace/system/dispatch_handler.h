/* SPDX-License-Identifier: MIT */
/* dispatch_handler.h (SAFE) - the handler that system calls are dispatched to. */
#ifndef WCM_SYSTEM_DISPATCH_HANDLER_H
#define WCM_SYSTEM_DISPATCH_HANDLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/system/system_words.h"

/* SIGNAL, one that is kept, is the program's. */
void wcm__system_pass_on(int signal, siginfo_t *info, void *ucontext);

void wcm__system_dispatched(int signal, siginfo_t *info, void *ucontext);

#endif
