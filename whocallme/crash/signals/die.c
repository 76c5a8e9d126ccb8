/* SPDX-License-Identifier: MIT */
/* die.c (SAFE) - lets the process die of a signal, by the default action, whatever a sandbox
 * answers. */
#include "crash/signals/chain.h"

#include <stdint.h>

#include "core/arch/arch.h"
#include "core/modules/module_read.h"
#include "core/os/kernel_action.h"
#include "core/os/mask.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/start_page.h"

static bool is_sent_plainly WCM_START_PAGE;

void wcm__signal_prepare(void)
{
	is_sent_plainly = !wcm__kernel_is_linux();
}

/* The kernel lets a process send itself any siginfo; a plain signal is what is left where its
 * queues are full, or where no kernel answers: valgrind 3.19 fails an assertion of its own over
 * a siginfo that says that the kernel has sent it. */
void wcm__signal_send(int signal, siginfo_t *info)
{
	const int pid = wcm__process_id(), tid = wcm__thread_id();

	if ((is_sent_plainly && info->si_code > 0) ||
	    wcm__rt_tgsigqueueinfo(pid, tid, signal, info) < 0)
		wcm__tgkill(pid, tid, signal);
}

static bool is_pending(int signal)
{
	return wcm__mask_pending() & WCM_MASK_OF(signal);
}

static bool is_default_in_kernel(int signal)
{
	return wcm__kernel_action(signal).handler == (uintptr_t)SIG_DFL;
}

/* The process that this thread is to die in; 0: it is to live.  A child of vfork(2) shares
 * the variable with its parent's thread, which must not die with it. */
static __thread uint32_t condemned __attribute__((tls_model("initial-exec")));

static uint32_t this_process(void)
{
	const uint32_t not_zero = 1u << 31;

	return not_zero | (uint32_t)wcm__process_id();
}

bool wcm__chain_is_condemned(void)
{
	return condemned && condemned == this_process();
}

/* The last ways to end, for when the default action cannot be had: exit with the status
 * that a shell gives for the signal; SIGKILL; and, if a filter forbids both, a trap that is
 * blocked, which kills without a system call. */
_Noreturn void wcm__chain_leave(int signal)
{
	wcm__exit_group(128 + signal);
	wcm__tgkill(wcm__process_id(), wcm__thread_id(), SIGKILL);
	wcm__mask_set(WCM_MASK_ALL);
	for (;;)
		__builtin_trap();
}

/* Send the signal again, for the default action to take it.  A sandbox may refuse to reset
 * the action, or to send the signal, and answer that it has done so: the kernel is asked
 * what it has, and false means that the signal has not come. */
static bool queue(int signal, siginfo_t *info)
{
	wcm__kernel_action_reset(signal);
	if (!is_default_in_kernel(signal))
		return false;
	wcm__signal_send(signal, info);
	return is_pending(signal);
}

/* Have the thread fault again with the signal blocked: the kernel kills it then, whatever
 * the action. */
static bool fault_to_death(int signal, const siginfo_t *info, void *ucontext)
{
	if (info->si_code <= 0 || !wcm__arch_fault_again(signal, ucontext, wcm__read_code))
		return false;
	wcm__mask_return(ucontext, wcm__mask_interrupted(ucontext) | WCM_MASK_OF(signal));
	return true;
}

void wcm__chain_die(int signal, siginfo_t *info, void *ucontext)
{
	condemned = this_process();
	wcm__mask_set(WCM_MASK_QUIET | WCM_MASK_OF(signal));
	if (!queue(signal, info) && !fault_to_death(signal, info, ucontext))
		wcm__chain_leave(signal);
}

_Noreturn void wcm__chain_die_now(int signal, siginfo_t *info)
{
	condemned = this_process();
	wcm__mask_set(WCM_MASK_QUIET);
	queue(signal, info);
	wcm__mask_set(WCM_MASK_QUIET & ~WCM_MASK_OF(signal));
	wcm__chain_leave(signal);
}
