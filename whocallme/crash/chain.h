/* SPDX-License-Identifier: MIT */
/* chain.h - the actions that were there before ours. */
#ifndef WCM_CRASH_CHAIN_H
#define WCM_CRASH_CHAIN_H

#include <signal.h>
#include <stdbool.h>

typedef void wcm_signal_handler(int signal, siginfo_t *info, void *ucontext);

enum wcm_action { WCM_ACTION_DEFAULT, WCM_ACTION_IGNORE, WCM_ACTION_CALL };

/* Make OURS the handler of SIGNAL and keep what was there, unless it is ours
 * already.  It runs on the alternate stack with every signal blocked.  False
 * where the kernel refuses. */
bool wcm__chain_install(int signal, wcm_signal_handler *ours);

/* Whether OURS has SIGNAL now; put back what was there if so. */
bool wcm__chain_is_ours(int signal, wcm_signal_handler *ours);
void wcm__chain_remove(int signal, wcm_signal_handler *ours);

/* What was there, and what is there now. */
enum wcm_action wcm__chain_before(int signal);
enum wcm_action wcm__chain_now(int signal);

/* Call the handler that was there as the kernel would have; it need not return.
 * If it does, every signal is blocked: it may have raised one.  KEEP: one that is
 * good for a single call is not used up by this one. */
void wcm__chain_call(int signal, siginfo_t *info, void *ucontext, bool keep);

/* Take the default action of SIGNAL, as INFO has it: on return from the handler,
 * so that a core shows the state it was given; or at once, never to return. */
void wcm__chain_die(int signal, siginfo_t *info);
_Noreturn void wcm__chain_die_now(int signal, siginfo_t *info);

#endif
