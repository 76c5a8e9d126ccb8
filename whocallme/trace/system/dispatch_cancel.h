/* SPDX-License-Identifier: MIT */
/* dispatch_cancel.h (SAFE) - shows libc's own handlers the call that they interrupt. */
#ifndef WCM_SYSTEM_DISPATCH_CANCEL_H
#define WCM_SYSTEM_DISPATCH_CANCEL_H

#include <stdbool.h>

#include "core/os/kernel_action.h"

/* ACTION is to be that of SIGNAL: if SIGNAL is one that libc keeps for itself, a handler of this
 * file takes the place of ACTION's, and true is returned. */
bool wcm__cancel_take(int signal, struct wcm_kernel_action *action);

/* ACTION is that of SIGNAL: it becomes what the program has set. */
void wcm__cancel_show(int signal, struct wcm_kernel_action *action);

/* The program has its own handlers again. */
void wcm__cancel_give_back(void);

#endif
