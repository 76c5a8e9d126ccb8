/* SPDX-License-Identifier: MIT */
/* dispatch_handler.h (SAFE) - the handler that system calls are dispatched to. */
#ifndef WCM_SYSTEM_DISPATCH_HANDLER_H
#define WCM_SYSTEM_DISPATCH_HANDLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/arch/arch.h"
#include "trace/system/system_words.h"

/* SIGNAL, one that is kept, is the program's. */
void wcm__system_pass_on(int signal, siginfo_t *info, void *ucontext);

void wcm__system_dispatched(int signal, siginfo_t *info, void *ucontext);

/* dispatch_pass.c: has a thread make a call by itself that no handler can make for it. */

/* How a call begins another process or thread. */
enum wcm_beginning {
	WCM_BEGINS_NONE,
	WCM_BEGINS_COPY,    /* with a copy of the memory and of the stack in use */
	WCM_BEGINS_THREAD,  /* with the memory, and thread-local variables of its own */
	WCM_BEGINS_BORROWER, /* with the memory, which this thread does not use meanwhile */
	WCM_BEGINS_SHARER,  /* with both, and is not traced */
	WCM_BEGINS_STRANGER, /* with a thread pointer to nothing, and is not traced, either */
};

enum wcm_beginning wcm__system_begins(const struct wcm_dispatched *call);

/* Whether what CALL begins has no handlers. */
bool wcm__system_clears_actions(const struct wcm_dispatched *call);

/* Code that makes the call whose place is in front of SITE, and comes back to the handler with
 * WCM_PASSED_NUMBER; 0: there is no room for it, or no memory. */
uintptr_t wcm__system_pass_code(uintptr_t site, enum wcm_beginning beginning);

/* Whether PC is in such code. */
bool wcm__system_pass_holds(uintptr_t pc);

#endif
