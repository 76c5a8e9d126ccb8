/* SPDX-License-Identifier: MIT */
/* dispatch_handler.h - the handler that system calls are dispatched to. */
#ifndef WCM_SYSTEM_DISPATCH_HANDLER_H
#define WCM_SYSTEM_DISPATCH_HANDLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/values/system_words.h"

/* What is traced; all is made before it is on. */
struct wcm_system_wanted {
	bool is_on;
	bool is_wanted[WCM_SYSTEM_CALLS];
	void (*off)(void *ucontext); /* of a handler */
	void (*at_end)(void), (*at_exec)(void), (*at_loss)(void); /* or NULL: see system_calls.h */
};

extern struct wcm_system_wanted wcm__system_wanted __attribute__((visibility("hidden")));

/* SIGNAL, one that is kept, is the program's. */
void wcm__system_pass_on(int signal, siginfo_t *info, void *ucontext);

void wcm__system_dispatched(int signal, siginfo_t *info, void *ucontext);

#endif
