/* SPDX-License-Identifier: MIT */
/* dispatch_cancel.c (SAFE) - shows libc's own handlers the call that they interrupt.
 *
 * To cancel a thread, musl and glibc (2.41) send it a signal below SIGRTMIN, whose handler looks
 * where the thread is: at a call that may be cancelled and has not been made, or has to be made
 * once more, the thread ends, or goes on elsewhere.  While a call is dispatched, the thread is in
 * this library's code, and that handler would find the wrong registers: a handler of this file
 * takes the signal first, and calls libc's with the registers that the program has at its call.
 * The registers are taken back only if libc's handler has moved the thread elsewhere.
 */
#include "trace/system/dispatch_cancel.h"

#include <string.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/os/mask.h"

enum { FIRST = 32, COUNT = 2, END = FIRST + COUNT };

/* What the kernel has of a ucontext_t. */
enum { SHOWN = offsetof(ucontext_t, uc_sigmask) + sizeof(uint64_t) };

static uintptr_t handlers[COUNT]; /* of libc, which ours have replaced last */

static bool is_libcs(int signal)
{
	return signal >= FIRST && signal < END;
}

static void interrupted(int signal, siginfo_t *info, void *ucontext)
{
	const uintptr_t address =
		__atomic_load_n(&handlers[signal - FIRST], __ATOMIC_RELAXED);
	void (*handler)(int, siginfo_t *, void *);
	ucontext_t shown;
	uintptr_t pc;

	memcpy(&handler, &address, sizeof(handler));
	memcpy(&shown, ucontext, SHOWN);
	if (!wcm__arch_undispatched_shown(ucontext, &shown)) {
		handler(signal, info, ucontext);
		return;
	}
	pc = *wcm__arch_context_pc(&shown);
	handler(signal, info, &shown);
	wcm__mask_return(ucontext, wcm__mask_interrupted(&shown));
	if (*wcm__arch_context_pc(&shown) != pc)
		((ucontext_t *)ucontext)->uc_mcontext = shown.uc_mcontext;
}

static uintptr_t ours(void)
{
	void (*const handler)(int, siginfo_t *, void *) = interrupted;
	uintptr_t address;

	memcpy(&address, &handler, sizeof(address));
	return address;
}

bool wcm__cancel_take(int signal, struct wcm_kernel_action *action)
{
	if (!is_libcs(signal) || action->handler <= (uintptr_t)SIG_IGN ||
	    action->handler == ours())
		return false;
	__atomic_store_n(&handlers[signal - FIRST], action->handler, __ATOMIC_RELAXED);
	action->handler = ours();
	return true;
}

void wcm__cancel_show(int signal, struct wcm_kernel_action *action)
{
	if (is_libcs(signal) && action->handler == ours())
		action->handler = __atomic_load_n(&handlers[signal - FIRST], __ATOMIC_RELAXED);
}

void wcm__cancel_give_back(void)
{
	for (int signal = FIRST; signal < END; signal++) {
		struct wcm_kernel_action now = wcm__kernel_action(signal);

		if (now.handler != ours())
			continue;
		wcm__cancel_show(signal, &now);
		wcm__kernel_action_set(signal, &now, NULL);
	}
}
