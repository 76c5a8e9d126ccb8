/* SPDX-License-Identifier: MIT */
/* static_trap.h (SAFE) - what a static probe comes to that is lit. */
#ifndef WCM_STATIC_STATIC_TRAP_H
#define WCM_STATIC_STATIC_TRAP_H

#include <signal.h>

/* The modules that have been looked through: follow next.  What is in the list stays. */
extern struct wcm_static_module *wcm__static_modules __attribute__((visibility("hidden")));

/* The handler of SIGTRAP. */
void wcm__static_trapped(int signal, siginfo_t *info, void *ucontext);

#endif
