/* SPDX-License-Identifier: MIT */
/* dispatch_signals.h (SAFE) - keeps signals from being blocked or taken while they are of use. */
#ifndef WCM_SYSTEM_DISPATCH_SIGNALS_H
#define WCM_SYSTEM_DISPATCH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/arch/arch.h"
#include "core/os/kernel_action.h"
#include "crash/signals/chain.h"

/* From the next time on that signals are taken SIGNAL, SIGSYS or SIGTRAP, is for HANDLER; NULL:
 * no longer. */
void wcm__system_signal_keep(int signal, wcm_signal_handler *handler);

/* Take those that are kept.  Returns 0 or a negated errno. */
long wcm__system_signals_take(void);

/* What the program would have SIGNAL do.  A child that has this memory has an action of its own. */
struct wcm_kernel_action *wcm__system_signal_action(int signal);

/* A signal that no dispatch or probe has raised does what the program would have it do.  Returns
 * whether a handler of its has been called. */
bool wcm__system_signal_pass_on(int signal, siginfo_t *info, void *ucontext);

/* The same of a SIGSYS that the program's own dispatch may have raised, for any call.  None is
 * made. */
void wcm__system_signal_handed(int signal, siginfo_t *info, void *ucontext);

/* What has come to the thread while the program blocks it waits in the kernel again, where it is
 * to be blocked as well. */
void wcm__system_signals_wait_there(void);

/* The program has the signals again. */
void wcm__system_signals_give_back(void);

/* ACTION is that of a child whose handlers are gone. */
void wcm__system_signal_clear(struct wcm_kernel_action *action);

/* Take what is kept again, in a child whose handlers are gone. */
void wcm__system_signals_again(void);

/* Before another program is run: it ignores what this one does.  Returns what the chain is to take
 * back where that fails. */
uint64_t wcm__system_signals_lend(void);

/* In one that has a copy of this memory: the program's handlers are gone, too. */
void wcm__system_signals_cleared(void);

/* Take what is kept out of the mask that the handler whose frame ends at SP returns to. */
void wcm__system_frame_without(uintptr_t sp);

/* What a call has in the place of what the program gave it. */
struct wcm_signal_words {
	uint64_t mask;
	uintptr_t pair[2];
};

/* Have CALL's mask, if it has one, be without what is kept, in WORDS. */
void wcm__system_mask_without(struct wcm_dispatched *call, struct wcm_signal_words *words);

/* Whether CALL is one that has been made here, in *RESULT, for a handler with UCONTEXT: its
 * effect is to be there when that has returned. */
bool wcm__system_signal_call(const struct wcm_dispatched *call, void *ucontext, long *result);

/* Whether the handler that calls this runs on an alternate stack. */
bool wcm__system_signal_is_aside(void);

#endif
