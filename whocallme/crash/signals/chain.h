/* SPDX-License-Identifier: MIT */
/* chain.h (SAFE) - keeps and calls the actions that the program has for a signal, besides ours. */
#ifndef WCM_SIGNALS_CHAIN_H
#define WCM_SIGNALS_CHAIN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/os/kernel_action.h"

/* die.c: lets the process die of a signal. */

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

typedef void wcm_signal_handler(int signal, siginfo_t *info, void *ucontext);

enum wcm_action { WCM_ACTION_DEFAULT, WCM_ACTION_IGNORE, WCM_ACTION_CALL };

/* libc's own, even where sigaction(2) is interposed: set before anything else. */
typedef int wcm_sigaction_function(int signal, const struct sigaction *action,
				   struct sigaction *old);
extern wcm_sigaction_function *wcm__chain_sigaction;

/* The signals whose actions, as far as this is concerned, are where the function says, and not
 * the kernel's; they are never to be blocked. */
extern struct wcm_kernel_action *(*wcm__chain_stand_in)(int signal);
extern uint64_t wcm__chain_stands_in;

/* Make OURS the handler of SIGNAL and keep what was there, unless it is ours
 * already.  It runs with all but SIGSYS blocked, on the alternate stack unless what
 * comes later never asked for that.  False
 * where the kernel refuses. */
bool wcm__chain_install(int signal, wcm_signal_handler *ours);

/* The same of a SIGNAL that is no fault: wherever the program has the default action, now or
 * later, OURS is there; elsewhere the program's own. */
bool wcm__chain_install_default(int signal, wcm_signal_handler *ours);

/* Whether OURS has SIGNAL now; put back what was there if so. */
bool wcm__chain_is_ours(int signal, wcm_signal_handler *ours);
void wcm__chain_remove(int signal, wcm_signal_handler *ours);

/* Whether a handler of the calling thread's rt_sigaction(2) asks and changes here; or NULL. */
extern bool (*wcm__chain_sees_calls)(void);

/* Whether ours has been there for SIGNAL; put back what was there for all. */
bool wcm__chain_has(int signal);
void wcm__chain_remove_all(void);

/* What the program is to be told that it has for SIGNAL, where that is not what the kernel has:
 * ours is there instead.  False: ask the kernel. */
bool wcm__chain_ask(int signal, struct wcm_kernel_action *found);

/* The program wants ACTION, as rt_sigaction(2) takes it.  A fault's is kept and called first from
 * then on; a signal that merely ends the process is ours wherever the program has the default.
 * False: the kernel is to have it. */
bool wcm__chain_change(int signal, const struct wcm_kernel_action *action,
		       struct wcm_kernel_action *found);

/* Before the program runs another one: what it ignores the kernel is to ignore, which the other
 * inherits.  Returns the signals to be taken back where that fails. */
uint64_t wcm__chain_lend_ignored(void);
void wcm__chain_take_back(uint64_t lent);

/* ACTION as the kernel will have it.  FLAGS are what it has of a handler that was set with
 * WCM_CHAIN_UNSUPPORTED: newer ones drop what they do not know. */
enum { WCM_CHAIN_UNSUPPORTED = 0x400 /* SA_UNSUPPORTED, which no kernel has */ };
struct wcm_kernel_action wcm__chain_as_kernel(struct wcm_kernel_action action);
void wcm__chain_note_flags(unsigned long flags);

/* ACTION with what the program's libc adds. */
struct wcm_kernel_action wcm__chain_as_libc(struct wcm_kernel_action action);

/* What was there or came later, and whether it did. */
enum wcm_action wcm__chain_before(int signal);
bool wcm__chain_is_later(int signal);

/* Whether it is the handler of another copy of this library, which blocks as ours does. */
bool wcm__chain_is_copy(int signal);

/* Call the handler that was there as the kernel would have; it need not return.
 * If it does, all but SIGSYS is blocked: it may have raised one.  KEEP: one that is
 * good for a single call is not used up by this one.  Whether the signal IS_REPORTED is for
 * called.h; returns whether it is now. */
bool wcm__chain_call(int signal, siginfo_t *info, void *ucontext, bool keep, bool is_reported);

/* After that call: has the handler set the default action, and made sure that it
 * is taken?  The kernel takes it by itself from now on if it is what is kept. */
bool wcm__chain_gave_up(int signal);
void wcm__chain_let_go(int signal);

/* Whether somebody sent the signal, the kernel possibly: no instruction brought it about. */
bool wcm__chain_is_sent(const siginfo_t *info);

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

/* claim.c: has several copies of this library in a process report a crash once.  The copy that
 * the kernel calls marks the siginfo that it hands on: another copy, whose handler was there
 * before, reports nothing then, and does the rest of what it does. */

/* What another copy, of any version, reads and answers: it only grows. */
struct wcm_claim {
	const void *copy;      /* whose it is */
	bool is_reported;      /* the report is written */
	bool is_dying;         /* the answer: the process dies of the signal */
	void (*let_others)(void); /* to be called before the program's own handler is */
	bool is_question;      /* nothing is to be done */
	bool is_ignored;       /* the answer: a signal that was sent is */
};

/* Mark INFO; NULL: take the mark away. */
void wcm__claim(siginfo_t *info, struct wcm_claim *claim);

/* The claim of another copy; NULL: INFO is ours. */
struct wcm_claim *wcm__claim_of(const siginfo_t *info);

#endif
