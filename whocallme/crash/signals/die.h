/* SPDX-License-Identifier: MIT */
/* die.h (SAFE) - lets the process die of a signal. */
#ifndef WCM_SIGNALS_DIE_H
#define WCM_SIGNALS_DIE_H

#include <signal.h>
#include <stdbool.h>

/* Find out how signals are to be sent: before the first one is. */
void wcm__signal_prepare(void);

/* Send the calling thread SIGNAL with INFO, which may be any. */
void wcm__signal_send(int signal, siginfo_t *info);

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
