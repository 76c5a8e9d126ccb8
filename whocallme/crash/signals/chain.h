/* SPDX-License-Identifier: MIT */
/* chain.h - calls the actions that the program has for a signal, besides ours, and lets
 * the process die.
 */
#ifndef WCM_SIGNALS_CHAIN_H
#define WCM_SIGNALS_CHAIN_H

#include <signal.h>
#include <stdbool.h>

typedef void wcm_signal_handler(int signal, siginfo_t *info, void *ucontext);

enum wcm_action { WCM_ACTION_DEFAULT, WCM_ACTION_IGNORE, WCM_ACTION_CALL };

/* libc's own, even where sigaction(2) is interposed: set before anything else. */
typedef int wcm_sigaction_function(int signal, const struct sigaction *action,
				   struct sigaction *old);
extern wcm_sigaction_function *wcm__chain_sigaction;

/* Make OURS the handler of SIGNAL and keep what was there, unless it is ours
 * already.  It runs with all but SIGSYS blocked, on the alternate stack unless what
 * comes later never asked for that.  False
 * where the kernel refuses. */
bool wcm__chain_install(int signal, wcm_signal_handler *ours);

/* Whether OURS has SIGNAL now; put back what was there if so. */
bool wcm__chain_is_ours(int signal, wcm_signal_handler *ours);
void wcm__chain_remove(int signal, wcm_signal_handler *ours);

/* Whether what the program sets for SIGNAL is kept here, ours having it.  Get what
 * is kept; exchange it for ACTION, which may be OLD, to be called first from then
 * on.  False where there is no room for any more. */
bool wcm__chain_keeps(int signal);
void wcm__chain_get(int signal, struct sigaction *action);
bool wcm__chain_exchange(int signal, const struct sigaction *action,
			 struct sigaction *old);

/* What was there or came later, and whether it did. */
enum wcm_action wcm__chain_before(int signal);
bool wcm__chain_is_later(int signal);

/* Call the handler that was there as the kernel would have; it need not return.
 * If it does, all but SIGSYS is blocked: it may have raised one.  KEEP: one that is
 * good for a single call is not used up by this one. */
void wcm__chain_call(int signal, siginfo_t *info, void *ucontext, bool keep);

/* After that call: has the handler set the default action, and made sure that it
 * is taken?  The kernel takes it by itself from now on if it is what is kept. */
bool wcm__chain_gave_up(int signal);
void wcm__chain_let_go(int signal);

/* Whether the default action does not end the process: the kernel does not let a signal that was
 * sent kill the first process of a container. */
bool wcm__chain_is_survived(const siginfo_t *info);

/* After such a signal: have ours be called for SIGNAL again. */
void wcm__chain_live_on(int signal);

/* Whether ours is called for SIGNAL, though set without SA_SIGINFO: by a program that
 * was given it by signal(2), and gave it back. */
bool wcm__chain_lacks_siginfo(int signal);

/* Put ours back with its flags, to be called for SIGNAL once more: by the fault
 * itself, or by INFO that is sent.  False where the kernel refuses. */
bool wcm__chain_come_again(int signal, siginfo_t *info, void *ucontext);

/* Take the default action of SIGNAL, as INFO has it: on return from the handler that was
 * given UCONTEXT, so that a core shows the state it was given; or at once.  Where a
 * sandbox keeps the process from that, it exits with 128 and the signal. */
void wcm__chain_die(int signal, siginfo_t *info, void *ucontext);
_Noreturn void wcm__chain_die_now(int signal, siginfo_t *info);

/* Whether the calling thread was to die of a signal and has not: it is to leave, by any
 * way that is open. */
bool wcm__chain_is_condemned(void);
_Noreturn void wcm__chain_leave(int signal);

#endif
