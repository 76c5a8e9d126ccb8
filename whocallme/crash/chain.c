/* SPDX-License-Identifier: MIT */
/* chain.c - who had the signal before us, and what becomes of it?
 *
 * The one before is to notice nothing: its own mask, its own flags, the original
 * siginfo and machine state.
 */
#include "crash/chain.h"

#include <stdint.h>
#include <string.h>
#include <sys/ucontext.h>

#include "crash/mask.h"
#include "syscall.h"

/* By signal, in the order of arrival: all of them in one page. */
enum { MOST = 8 };
static struct sigaction actions[MOST];
static unsigned char slot_of[_NSIG];
static unsigned slots;

static struct sigaction *previous(int signal)
{
	if (!slot_of[signal] && slots < MOST)
		slot_of[signal] = (unsigned char)++slots;
	return &actions[slot_of[signal] ? slot_of[signal] - 1 : 0];
}

static enum wcm_action kind_of(const struct sigaction *action)
{
	void (*handler)(int) =
		__atomic_load_n(&action->sa_handler, __ATOMIC_ACQUIRE);

	return handler == SIG_DFL   ? WCM_ACTION_DEFAULT
	       : handler == SIG_IGN ? WCM_ACTION_IGNORE
				    : WCM_ACTION_CALL;
}

static bool is(const struct sigaction *action, wcm_signal_handler *handler)
{
	return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handler;
}

/* The kernel is asked, since what a vfork child or another library did left no
 * other trace. */
bool wcm__chain_is_ours(int signal, wcm_signal_handler *ours)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 && is(&now, ours);
}

/* A signal that goes on being ignored interrupts no system call. */
static bool restarts(const struct sigaction *before)
{
	return kind_of(before) != WCM_ACTION_CALL ||
	       (before->sa_flags & SA_RESTART);
}

bool wcm__chain_install(int signal, wcm_signal_handler *ours)
{
	struct sigaction action = { .sa_sigaction = ours,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction before;

	if (sigaction(signal, NULL, &before) != 0)
		return false;
	if (is(&before, ours))
		return true;
	/* Kept before ours is in place, which may be called that instant. */
	*previous(signal) = before;
	if (restarts(&before))
		action.sa_flags |= SA_RESTART;
	sigfillset(&action.sa_mask);
	return sigaction(signal, &action, NULL) == 0;
}

void wcm__chain_remove(int signal, wcm_signal_handler *ours)
{
	if (slot_of[signal] && wcm__chain_is_ours(signal, ours))
		sigaction(signal, previous(signal), NULL);
}

enum wcm_action wcm__chain_before(int signal)
{
	return kind_of(previous(signal));
}

enum wcm_action wcm__chain_now(int signal)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 ? kind_of(&now)
						  : WCM_ACTION_DEFAULT;
}

/* What the kernel blocks while ACTION's handler runs. */
static uint64_t mask_for(const struct sigaction *action, int signal,
			 const void *ucontext)
{
	uint64_t before, own;

	memcpy(&before, &((const ucontext_t *)ucontext)->uc_sigmask,
	       sizeof(before));
	memcpy(&own, &action->sa_mask, sizeof(own));
	return before | own |
	       (action->sa_flags & SA_NODEFER ? 0 : WCM_MASK_OF(signal));
}

void wcm__chain_call(int signal, siginfo_t *info, void *ucontext, bool keep)
{
	struct sigaction action = *previous(signal);

	if ((action.sa_flags & SA_RESETHAND) && !keep) {
		void (*handler)(int) = __atomic_exchange_n(
			&previous(signal)->sa_handler, SIG_DFL, __ATOMIC_ACQ_REL);

		/* Another thread has just used it up. */
		if (handler == SIG_DFL)
			return;
	}
	wcm__mask_set(mask_for(&action, signal, ucontext));
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(signal, info, ucontext);
	else
		action.sa_handler(signal);
	wcm__mask_set(WCM_MASK_ALL);
}

/* Queue the signal again.  The kernel lets a process send itself any siginfo; a
 * plain signal is what is left where its queues are full. */
static void queue(int signal, siginfo_t *info)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	long pid = wcm__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	long tid = wcm__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);

	sigaction(signal, &action, NULL);
	if (wcm__syscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, (long)info, 0,
			 0) < 0)
		wcm__syscall(SYS_tgkill, pid, tid, signal, 0, 0, 0);
}

void wcm__chain_die(int signal, siginfo_t *info)
{
	wcm__mask_set(WCM_MASK_ALL);
	queue(signal, info);
}

_Noreturn void wcm__chain_die_now(int signal, siginfo_t *info)
{
	wcm__mask_set(WCM_MASK_ALL);
	queue(signal, info);
	wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_OF(signal));
	for (;;)
		wcm__syscall(SYS_exit_group, 128 + signal, 0, 0, 0, 0, 0);
}
