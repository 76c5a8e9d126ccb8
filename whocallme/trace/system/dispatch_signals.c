/* SPDX-License-Identifier: MIT */
/* dispatch_signals.c (SAFE) - keeps signals from being blocked or taken while they are of use.
 *
 * A thread that has blocked SIGSYS dies with its next call, and one that has blocked SIGTRAP at the
 * next probe.  So the program's masks go without them, and its actions for them are kept here.
 * What a handler changes of masks and of the alternate stack is undone when it returns, and so is
 * done in what it returns to.
 */
#include "trace/system/dispatch_signals.h"

#include <errno.h>
#include <string.h>
#include <sys/ucontext.h>

#include "core/modules/modules.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/process.h"
#include "core/os/read.h"
#include "core/os/self.h"
#include "crash/signals/altstack.h"
#include "crash/signals/chain.h"
#include "trace/system/dispatch_actions.h"
#include "trace/system/dispatch_cancel.h"
#include "trace/system/dispatch_thread.h"

enum { RESTORER = 0x04000000, EXTENDED_ARGUMENT = 8 /* IORING_ENTER_EXT_ARG */ };

/* A signal that is ours, if there is a handler for it. */
static struct kept {
	wcm_signal_handler *handler;
	struct wcm_kernel_action program; /* what the program, or its crash report, has it do */
	struct wcm_kernel_action ours; /* which stays where it is */
	bool is_ours; /* it is the kernel's, or somebody has taken the signal from us */
} kept[WCM_SYSTEM_SIGNALS];

static const int signals[WCM_SYSTEM_SIGNALS] = { SIGSYS, SIGTRAP };

uint64_t wcm__system_kept;

static unsigned index_of(int signal)
{
	return signal == SIGTRAP;
}

void wcm__system_signal_keep(int signal, wcm_signal_handler *handler)
{
	kept[index_of(signal)].handler = handler;
	if (handler)
		wcm__system_kept |= WCM_MASK_OF(signal);
	else
		wcm__system_kept &= ~WCM_MASK_OF(signal);
}

struct wcm_kernel_action *wcm__system_signal_action(int signal)
{
	struct wcm_system_thread *own = &wcm__system_own;

	for (int i = own->passing; own->child != 0 && i > 0; i--)
		if (own->rest->pass[i - 1].borrows)
			return &own->rest->pass[i - 1].action[index_of(signal)];
	return &kept[index_of(signal)].program;
}

/* Whether the program has chosen the alternate stack for the signal: one whose stacks have no room
 * for the kernel's frame, as goroutines' have none, does for all signals.  Any other's handlers
 * find in use the stack that a system call was made on.  A crash report's handler is not the
 * program's choice, which is behind it. */
static bool is_alternate(const struct kept *of)
{
	struct wcm_kernel_action found;
	struct wcm_module own;

	if (wcm__module_find_live(&own, (uintptr_t)is_alternate) &&
	    of->program.handler >= own.text_lo && of->program.handler < own.text_hi)
		return of->is_ours && wcm__chain_ask(of == kept ? SIGSYS : SIGTRAP, &found) &&
		       (found.flags & SA_ONSTACK);
	return of->program.flags & SA_ONSTACK;
}

static long set(int signal, struct kept *of, struct wcm_kernel_action *was)
{
	of->ours = (struct wcm_kernel_action){
		.flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | RESTORER |
			 WCM_CHAIN_UNSUPPORTED | (is_alternate(of) ? SA_ONSTACK : 0),
		.restorer = wcm__arch_undispatched_code().restorer,
		.mask = WCM_MASK_QUIET,
	};
	memcpy(&of->ours.handler, &of->handler, sizeof(of->handler));
	return wcm__kernel_action_set(signal, &of->ours, was);
}

static long take(int signal, struct kept *of)
{
	struct wcm_kernel_action was;
	const long error = set(signal, of, &was);

	if (error == 0 && was.handler != of->ours.handler)
		of->program = was;
	if (error == 0)
		wcm__chain_note_flags(wcm__kernel_action(signal).flags);
	of->is_ours = of->is_ours || error == 0;
	return error;
}

static bool sees_calls(void)
{
	return wcm__system_own.is_armed &&
	       __atomic_load_n(&wcm__system_own.selector, __ATOMIC_RELAXED) == WCM_DISPATCH_BLOCKS;
}

void wcm__system_signal_chosen(int signal)
{
	struct kept *of = &kept[index_of(signal)];

	if (of->is_ours && wcm__system_own.child == 0 &&
	    is_alternate(of) != !!(of->ours.flags & SA_ONSTACK))
		set(signal, of, NULL);
}

/* The crash report's handler is behind those that are ours. */
static void stand_in(void)
{
	uint64_t set = 0;

	for (unsigned i = 0; i < WCM_SYSTEM_SIGNALS; i++)
		if (kept[i].is_ours)
			set |= WCM_MASK_OF(signals[i]);
	wcm__chain_stand_in = wcm__system_signal_action;
	wcm__chain_sees_calls = sees_calls;
	wcm__chain_stands_in = set;
}

long wcm__system_signals_take(void)
{
	long error = 0;

	wcm__altstack_expect(2);
	wcm__system_arming.action = &kept[0].ours;
	for (unsigned i = 0; i < WCM_SYSTEM_SIGNALS && error == 0; i++)
		if (kept[i].handler)
			error = take(signals[i], &kept[i]);
	stand_in();
	for (unsigned i = 0; i < WCM_SYSTEM_SIGNALS && error == 0; i++)
		wcm__system_signal_chosen(signals[i]);
	return error;
}

void wcm__system_signals_give_back(void)
{
	for (unsigned i = 0; i < WCM_SYSTEM_SIGNALS; i++) {
		if (kept[i].is_ours)
			wcm__kernel_action_set(signals[i], &kept[i].program, NULL);
		kept[i].is_ours = false;
	}
	stand_in();
	wcm__cancel_give_back();
}

void wcm__system_signal_clear(struct wcm_kernel_action *action)
{
	if (action->handler != (uintptr_t)SIG_IGN)
		*action = (struct wcm_kernel_action){ 0 };
}

void wcm__system_signals_again(void)
{
	for (unsigned i = 0; i < WCM_SYSTEM_SIGNALS; i++)
		if (kept[i].is_ours)
			wcm__kernel_action_set(signals[i], &kept[i].ours, NULL);
}

uint64_t wcm__system_signals_lend(void)
{
	struct wcm_kernel_action found;

	for (unsigned i = 0; i < WCM_SYSTEM_SIGNALS; i++) {
		if (!kept[i].is_ours)
			continue;
		if (!wcm__chain_ask(signals[i], &found))
			found = *wcm__system_signal_action(signals[i]);
		if (found.handler == (uintptr_t)SIG_IGN)
			wcm__kernel_action_set(signals[i], &found, NULL);
	}
	return wcm__chain_lend_ignored();
}

void wcm__system_signals_cleared(void)
{
	for (unsigned i = 0; i < WCM_SYSTEM_SIGNALS; i++)
		wcm__system_signal_clear(&kept[i].program);
	wcm__system_signals_again();
}

void wcm__system_frame_without(uintptr_t sp)
{
	const uintptr_t at = sp + offsetof(ucontext_t, uc_sigmask);
	uint64_t mask, blocked;

	if (!wcm__read_memory(at, &mask, sizeof(mask)) || !(mask & wcm__system_kept))
		return;
	blocked = mask & wcm__system_kept;
	mask &= ~wcm__system_kept;
	if (wcm__write_memory(at, &mask, sizeof(mask)))
		wcm__system_own.blocked |= (uint32_t)blocked;
}

/* The kernel's own end of the process, by a signal that comes when the handler has returned. */
static void die(int signal)
{
	wcm__kernel_action_reset(signal);
	wcm__tgkill(wcm__process_id(), wcm__thread_id(), signal);
}

static void call_handler(const struct wcm_kernel_action *action, int signal, siginfo_t *info,
			 void *ucontext)
{
	void (*full)(int, siginfo_t *, void *);

	memcpy(&full, &action->handler, sizeof(full));
	full(signal, info, ucontext);
}

/* The program blocks it: it comes when that is over.  One that has come already is the one. */
static void keep_waiting(int signal, const siginfo_t *info)
{
	struct wcm_system_thread *own = &wcm__system_own;

	if (own->pending & WCM_MASK_OF(signal))
		return;
	wcm__system_rest()->came[index_of(signal)] = *info;
	own->pending |= (uint32_t)WCM_MASK_OF(signal);
}

/* Those of NOW that have waited come when this handler has returned, to a mask without them. */
static void send_again(uint64_t now)
{
	struct wcm_system_thread *own = &wcm__system_own;

	if (now == 0)
		return;
	wcm__mask_add(now);
	own->pending &= (uint32_t)~now;
	for (unsigned i = 0; i < WCM_SYSTEM_SIGNALS; i++)
		if (now & WCM_MASK_OF(signals[i]))
			wcm__rt_tgsigqueueinfo(wcm__process_id(), wcm__thread_id(), signals[i],
					       &wcm__system_rest()->came[i]);
}

static void let_come(void)
{
	send_again(wcm__system_own.pending & ~wcm__system_own.blocked);
}

void wcm__system_signals_wait_there(void)
{
	send_again(wcm__system_own.pending);
}

/* A handler that is good for one call is none any more when it begins, and keeps its flags. */
static void call_as_kernel(struct wcm_kernel_action *action, int signal, siginfo_t *info,
			   void *ucontext)
{
	const struct wcm_kernel_action called = *action;
	const uint32_t blocked = wcm__system_own.blocked;
	struct wcm_kernel_action programs; /* behind the crash report's */

	if (!wcm__chain_ask(signal, &programs))
		programs = called;

	if (called.flags & SA_RESETHAND)
		action->handler = (uintptr_t)SIG_DFL;
	wcm__system_own.blocked |= (uint32_t)(
		(programs.mask | (programs.flags & SA_NODEFER ? 0 : WCM_MASK_OF(signal))) &
		wcm__system_kept);
	wcm__mask_set(wcm__mask_interrupted(ucontext) | (called.mask & ~wcm__system_kept));
	call_handler(&called, signal, info, ucontext);
	wcm__mask_set(WCM_MASK_QUIET);
	wcm__system_own.blocked = blocked;
	let_come();
}

void wcm__system_signal_handed(int signal, siginfo_t *info, void *ucontext)
{
	const struct wcm_kernel_action *action = &kept[index_of(signal)].program;

	if (action->handler == (uintptr_t)SIG_DFL || action->handler == (uintptr_t)SIG_IGN)
		wcm__system_signal_pass_on(signal, info, ucontext);
	else
		call_handler(action, signal, info, ucontext);
}

bool wcm__system_signal_pass_on(int signal, siginfo_t *info, void *ucontext)
{
	struct wcm_system_thread *own = &wcm__system_own;
	struct wcm_kernel_action *action = wcm__system_signal_action(signal);
	const bool is_sent = info->si_code <= 0;
	const bool is_blocked = own->blocked & WCM_MASK_OF(signal);

	if (is_sent && is_blocked) {
		keep_waiting(signal, info);
		return false;
	}
	if (action->handler == (uintptr_t)SIG_IGN && is_sent)
		return false;
	if (is_blocked || action->handler <= (uintptr_t)SIG_IGN) {
		die(signal);
		return false;
	}
	call_as_kernel(action, signal, info, ucontext);
	return true;
}

/* The mask that HOW makes of NOW and SET. */
static uint64_t changed(long how, uint64_t now, uint64_t set)
{
	return how == SIG_BLOCK ? now | set : how == SIG_UNBLOCK ? now & ~set : set;
}

static long change_mask(const long argument[6], void *ucontext)
{
	const uint64_t unblockable = WCM_MASK_OF(SIGKILL) | WCM_MASK_OF(SIGSTOP);
	uint64_t set = 0, wanted;
	const uint64_t was = wcm__mask_interrupted(ucontext) | wcm__system_own.blocked;

	if (argument[3] != sizeof(set))
		return -EINVAL;
	if (argument[1] && !wcm__read_memory((uintptr_t)argument[1], &set, sizeof(set)))
		return -EFAULT;
	if (argument[1] && argument[0] != SIG_BLOCK && argument[0] != SIG_UNBLOCK &&
	    argument[0] != SIG_SETMASK)
		return -EINVAL;
	if (argument[1]) {
		wanted = changed(argument[0], was, set) & ~unblockable;
		wcm__mask_return(ucontext, wanted & ~wcm__system_kept);
		wcm__system_own.blocked = (uint32_t)(wanted & wcm__system_kept);
		let_come();
	}
	return argument[2] && !wcm__write_memory((uintptr_t)argument[2], &was, sizeof(was)) ?
		       -EFAULT : 0;
}

bool wcm__system_signal_is_aside(void)
{
	stack_t now = { .ss_flags = 0 };

	wcm__sigaltstack(NULL, &now);
	return now.ss_flags & SS_ONSTACK;
}

/* The stack that the handler returns to is the one that is in use then. */
static long change_stack(const struct wcm_dispatched *call, void *ucontext)
{
	const long *argument = call->argument;
	const long result = wcm__altstack_change((uintptr_t)argument[0], (uintptr_t)argument[1],
						 call->at.sp);
	stack_t now;

	if (result == 0 && argument[0] && wcm__sigaltstack(NULL, &now) == 0)
		((ucontext_t *)ucontext)->uc_stack = now;
	return result;
}

static long tell_pending(const long argument[6])
{
	const long result = wcm__arch_undispatched(SYS_rt_sigpending, argument);
	const uintptr_t at = (uintptr_t)argument[0];
	uint64_t set = 0;

	if (result != 0 || wcm__system_own.pending == 0 || argument[1] != sizeof(set))
		return result;
	if (wcm__read_memory(at, &set, sizeof(set))) {
		set |= wcm__system_own.pending;
		wcm__write_memory(at, &set, sizeof(set));
	}
	return result;
}

/* Whether a signal that the call waits for has come here. */
static bool take_pending(const long argument[6], long *result)
{
	struct wcm_system_thread *own = &wcm__system_own;
	const uintptr_t to = (uintptr_t)argument[1];
	uint64_t set;
	unsigned i = 0;

	if (own->pending == 0 || !wcm__read_memory((uintptr_t)argument[0], &set, sizeof(set)) ||
	    !(set & own->pending))
		return false;
	while (!(set & own->pending & WCM_MASK_OF(signals[i])))
		i++;
	own->pending &= (uint32_t)~WCM_MASK_OF(signals[i]);
	*result = to && !wcm__write_memory(to, &wcm__system_rest()->came[i], sizeof(siginfo_t)) ?
			  -EFAULT : signals[i];
	return true;
}

bool wcm__system_signal_call(const struct wcm_dispatched *call, void *ucontext, long *result)
{
	switch (call->number) {
	case SYS_rt_sigprocmask:
		*result = change_mask(call->argument, ucontext);
		return true;
	case SYS_rt_sigaction:
		*result = wcm__system_change_action(call->argument);
		return true;
	case SYS_rt_sigpending:
		*result = tell_pending(call->argument);
		return true;
	case SYS_rt_sigtimedwait:
		return take_pending(call->argument, result);
	case SYS_sigaltstack:
		*result = change_stack(call, ucontext);
		return true;
	default:
		return false;
	}
}

/* WORD is where the program's mask is. */
static void take_out(long *word, struct wcm_signal_words *words)
{
	if (!*word || !wcm__read_memory((uintptr_t)*word, &words->mask, sizeof(words->mask)))
		return;
	words->mask &= ~wcm__system_kept;
	*word = (long)&words->mask;
}

/* WORD is where the mask's address and size are. */
static void take_out_of_pair(long *word, struct wcm_signal_words *words)
{
	long mask;

	if (!*word || !wcm__read_memory((uintptr_t)*word, words->pair, sizeof(words->pair)))
		return;
	mask = (long)words->pair[0];
	take_out(&mask, words);
	words->pair[0] = (uintptr_t)mask;
	*word = (long)words->pair;
}

void wcm__system_mask_without(struct wcm_dispatched *call, struct wcm_signal_words *words)
{
	switch (call->number) {
	case SYS_rt_sigsuspend:
		take_out(&call->argument[0], words);
		break;
	case SYS_ppoll:
		take_out(&call->argument[3], words);
		break;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		take_out(&call->argument[4], words);
		break;
	case SYS_io_uring_enter:
		if (!(call->argument[3] & EXTENDED_ARGUMENT))
			take_out(&call->argument[4], words);
		break;
	case SYS_pselect6:
	case SYS_io_pgetevents:
		take_out_of_pair(&call->argument[5], words);
		break;
	default:
		break;
	}
}
