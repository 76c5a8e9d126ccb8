/* SPDX-License-Identifier: MIT */
/* chain.c - whose else is the signal, and what becomes of it?
 *
 * The one before us is to notice nothing: its own mask, its own flags, the
 * original siginfo and machine state.  Nor is one that comes later, where the
 * program's sigaction(2) is ours: libwhocallme-preload.so.
 *
 * An action is replaced while other threads crash, and by handlers.  So it is a
 * pointer to a record that never changes: nobody sees half of one, or waits.
 */
#include "crash/chain.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ucontext.h>

#include "arch/arch.h"
#include "crash/handler_code.h"
#include "crash/kernel_action.h"
#include "crash/mask.h"
#include "syscall.h"
#include "unwind/self.h"
#include "unwind/thread_pointer.h"

struct record {
	union {
		void (*plain)(int);
		wcm_signal_handler *full; /* SA_SIGINFO */
	} handler;
	uint64_t mask; /* what the kernel keeps of a sigset_t */
	int flags;
	bool is_later;
	unsigned char state;
};

enum { FREE, BUSY, READY };

/* A program has a few actions, which it sets again and again. */
enum { MOST = 128 };
static struct record records[MOST];

static const struct record by_default = { .state = READY };

/* By signal; NULL: never ours. */
static const struct record *current[_NSIG];
static wcm_signal_handler *our_handler[_NSIG];

wcm_sigaction_function *wcm__chain_sigaction = sigaction;

/* The thread sanitizer's sigaction(2) has our handler called by one of its own, as the
 * program's: what the sanitizer's handler does of a fault, called by ours, is then an
 * error of the program, the report of which replaces that of the fault.  libc has
 * another name for its own. */
extern void __tsan_init(void) __attribute__((weak));
extern wcm_sigaction_function __sigaction __attribute__((weak));

static void pass_by_sanitizer(void)
{
	if (__tsan_init && __sigaction)
		wcm__chain_sigaction = __sigaction;
}

static const struct record *previous(int signal)
{
	const struct record *record =
		__atomic_load_n(&current[signal], __ATOMIC_ACQUIRE);

	return record ? record : &by_default;
}

static bool is_same(const struct record *one, const struct record *other)
{
	return one->handler.plain == other->handler.plain &&
	       one->mask == other->mask && one->flags == other->flags &&
	       one->is_later == other->is_later;
}

/* The record that says what WANTED does; NULL where there is no room for it.  Two
 * that say the same do no harm. */
static const struct record *find(const struct record *wanted)
{
	for (struct record *each = records; each < records + MOST; each++) {
		unsigned char state =
			__atomic_load_n(&each->state, __ATOMIC_ACQUIRE);

		if (state == READY && is_same(each, wanted))
			return each;
		if (state != FREE ||
		    !__atomic_compare_exchange_n(&each->state, &state, BUSY,
						 false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		each->handler = wanted->handler;
		each->mask = wanted->mask;
		each->flags = wanted->flags;
		each->is_later = wanted->is_later;
		__atomic_store_n(&each->state, READY, __ATOMIC_RELEASE);
		return each;
	}
	return NULL;
}

static struct record record_of(const struct sigaction *action, bool is_later)
{
	struct record record = { .flags = action->sa_flags,
				 .is_later = is_later };

	if (action->sa_flags & SA_SIGINFO)
		record.handler.full = action->sa_sigaction;
	else
		record.handler.plain = action->sa_handler;
	memcpy(&record.mask, &action->sa_mask, sizeof(record.mask));
	return record;
}

static struct sigaction action_of(const struct record *record)
{
	struct sigaction action = { .sa_flags = record->flags };

	if (record->flags & SA_SIGINFO)
		action.sa_sigaction = record->handler.full;
	else
		action.sa_handler = record->handler.plain;
	memcpy(&action.sa_mask, &record->mask, sizeof(record->mask));
	return action;
}

static enum wcm_action kind_of(const struct record *record)
{
	return record->handler.plain == SIG_DFL	  ? WCM_ACTION_DEFAULT
	       : record->handler.plain == SIG_IGN ? WCM_ACTION_IGNORE
						  : WCM_ACTION_CALL;
}

/* Whatever the flags: signal(2) gives out a handler and sets it without them. */
static bool is(const struct sigaction *action, wcm_signal_handler *handler)
{
	return action->sa_sigaction == handler;
}

static bool has_siginfo(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO;
}

/* The kernel is asked, since what a vfork child or another library did left no
 * other trace. */
bool wcm__chain_is_ours(int signal, wcm_signal_handler *ours)
{
	struct sigaction now;

	return wcm__chain_sigaction(signal, NULL, &now) == 0 && is(&now, ours);
}

/* A signal that goes on being ignored interrupts no system call. */
static bool restarts(const struct record *record)
{
	return kind_of(record) != WCM_ACTION_CALL || (record->flags & SA_RESTART);
}

/* One that never asked for the alternate stack may want more than ours has, and
 * reach beyond its guard page. */
static bool is_for_altstack(const struct record *record)
{
	return !record->is_later || kind_of(record) != WCM_ACTION_CALL ||
	       (record->flags & SA_ONSTACK);
}

/* Ours in the kernel, to call what is kept, which others may exchange.  SIGSYS stays
 * unblocked from the handler's first instruction on: a seccomp filter may trap any system
 * call of it, that which would unblock it among them.  The others are blocked until the
 * handler says otherwise: where it may not, a fault in it is the end. */
static bool take(int signal, wcm_signal_handler *ours)
{
	const uint64_t quiet = WCM_MASK_QUIET;
	struct sigaction action = { .sa_sigaction = ours };
	const struct record *record;
	bool taken;

	sigfillset(&action.sa_mask);
	memcpy(&action.sa_mask, &quiet, sizeof(quiet));
	do {
		record = previous(signal);
		action.sa_flags = SA_SIGINFO |
				  (signal == SIGSYS ? SA_NODEFER : 0) |
				  (is_for_altstack(record) ? SA_ONSTACK : 0) |
				  (restarts(record) ? SA_RESTART : 0);
		taken = wcm__chain_sigaction(signal, &action, NULL) == 0;
	} while (previous(signal) != record);
	return taken;
}

bool wcm__chain_install(int signal, wcm_signal_handler *ours)
{
	struct sigaction before;
	struct record wanted;
	const struct record *record;

	pass_by_sanitizer();
	if (wcm__chain_sigaction(signal, NULL, &before) != 0)
		return false;
	if (is(&before, ours))
		return has_siginfo(&before) || take(signal, ours);
	wanted = record_of(&before, false);
	record = find(&wanted);
	if (!record)
		return false;
	/* Kept before ours is in place, which may be called that instant. */
	__atomic_store_n(&our_handler[signal], ours, __ATOMIC_RELAXED);
	__atomic_store_n(&current[signal], record, __ATOMIC_RELEASE);
	return take(signal, ours);
}

void wcm__chain_remove(int signal, wcm_signal_handler *ours)
{
	struct sigaction before = action_of(previous(signal));

	if (wcm__chain_is_ours(signal, ours))
		wcm__chain_sigaction(signal, &before, NULL);
}

bool wcm__chain_keeps(int signal)
{
	return signal > 0 && signal < _NSIG && previous(signal) != &by_default &&
	       (WCM_MASK_FATAL & WCM_MASK_OF(signal)) &&
	       wcm__chain_is_ours(signal, our_handler[signal]);
}

void wcm__chain_get(int signal, struct sigaction *action)
{
	*action = action_of(previous(signal));
}

bool wcm__chain_exchange(int signal, const struct sigaction *action,
			 struct sigaction *old)
{
	struct record wanted = record_of(action, true);
	const struct record *record, *before;

	/* Who was shown ours, by whatever way, means what we found. */
	if (is(action, our_handler[signal]))
		return false;
	/* None of our business: the kernel would keep neither. */
	wanted.mask &= ~(WCM_MASK_OF(SIGKILL) | WCM_MASK_OF(SIGSTOP));
	record = find(&wanted);
	if (!record)
		return false;
	before = __atomic_exchange_n(&current[signal], record, __ATOMIC_ACQ_REL);
	take(signal, our_handler[signal]);
	if (old)
		*old = action_of(before);
	return true;
}

enum wcm_action wcm__chain_before(int signal)
{
	return kind_of(previous(signal));
}

bool wcm__chain_is_later(int signal)
{
	return previous(signal)->is_later;
}

static bool is_pending(int signal)
{
	uint64_t pending = 0;

	wcm__syscall(SYS_rt_sigpending, (long)&pending, sizeof(pending), 0, 0, 0,
		     0);
	return pending & WCM_MASK_OF(signal);
}

static bool is_default_in_kernel(int signal)
{
	return wcm__kernel_action(signal).handler == (uintptr_t)SIG_DFL;
}

bool wcm__chain_gave_up(int signal)
{
	return is_default_in_kernel(signal) ||
	       (wcm__chain_before(signal) == WCM_ACTION_DEFAULT &&
		is_pending(signal));
}

void wcm__chain_let_go(int signal)
{
	const struct record *record = previous(signal);

	if (record->is_later && kind_of(record) == WCM_ACTION_DEFAULT)
		wcm__chain_remove(signal, our_handler[signal]);
}

/* What the kernel blocks while the handler runs. */
static uint64_t mask_for(const struct record *record, int signal,
			 const void *ucontext)
{
	uint64_t before;

	memcpy(&before, &((const ucontext_t *)ucontext)->uc_sigmask,
	       sizeof(before));
	return before | record->mask |
	       (record->flags & SA_NODEFER ? 0 : WCM_MASK_OF(signal));
}

/* A handler that is good for one call; false where another thread has just used
 * it up, or replaced it. */
static bool use_up(int signal, const struct record *record)
{
	struct record wanted = *record;
	const struct record *spent;

	wanted.handler.plain = SIG_DFL;
	spent = find(&wanted);
	if (!__atomic_compare_exchange_n(&current[signal], &record,
					 spent ? spent : &by_default, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	if (wanted.is_later)
		take(signal, our_handler[signal]);
	return true;
}

/* With the thread pointer that the thread has: the handler may know why. */
WCM_HANDLER_CODE void wcm__chain_call(int signal, siginfo_t *info,
				      void *ucontext, bool keep)
{
	const struct record *record = previous(signal);
	const bool is_lent = wcm__thread_pointer_is_lent();
	const uintptr_t broken = wcm__thread_pointer_broken();

	if (kind_of(record) != WCM_ACTION_CALL)
		return;
	if ((record->flags & SA_RESETHAND) && !keep && !use_up(signal, record))
		return;
	wcm__mask_set(mask_for(record, signal, ucontext));
	if (is_lent)
		wcm__thread_pointer_give_back(true);
	if (record->flags & SA_SIGINFO)
		record->handler.full(signal, info, ucontext);
	else
		record->handler.plain(signal);
	wcm__mask_set(WCM_MASK_QUIET);
	if (is_lent)
		wcm__thread_pointer_lend_again(broken);
}

/* The kernel resets what is good for one call before it calls it, and keeps the
 * flags. */
bool wcm__chain_lacks_siginfo(int signal)
{
	const struct wcm_kernel_action now = wcm__kernel_action(signal);

	return !(now.flags & SA_SIGINFO) &&
	       (now.handler == (uintptr_t)our_handler[signal] ||
		now.handler == (uintptr_t)SIG_DFL);
}

/* The kernel lets a process send itself any siginfo; a plain signal is what is left
 * where its queues are full. */
static void send(int signal, siginfo_t *info)
{
	long pid = wcm__process_id();
	long tid = wcm__thread_id();

	if (wcm__syscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, (long)info, 0,
			 0) < 0)
		wcm__syscall(SYS_tgkill, pid, tid, signal, 0, 0, 0);
}

bool wcm__chain_come_again(int signal, siginfo_t *info, void *ucontext)
{
	if (!take(signal, our_handler[signal]))
		return false;
	if (wcm__chain_lacks_siginfo(signal))
		return false;
	wcm__mask_set(WCM_MASK_QUIET | WCM_MASK_OF(signal));
	if (!wcm__arch_fault_again(signal, ucontext))
		send(signal, info);
	return true;
}

/* Which process this thread is to die in; 0: it is to live.  One of vfork(2) has its
 * parent's variables. */
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

/* The first process of a container has no default action for what is sent to it. */
static bool survives(const siginfo_t *info)
{
	return info->si_code <= 0 && wcm__process_id() == 1;
}

/* The status is the shell's for the signal.  A filter may forbid that, too, and the
 * signal that nobody can block; the fault of a blocked trap takes no system call. */
_Noreturn void wcm__chain_leave(int signal)
{
	wcm__syscall(SYS_exit_group, 128 + signal, 0, 0, 0, 0, 0);
	wcm__syscall(SYS_tgkill, wcm__process_id(), wcm__thread_id(), SIGKILL, 0,
		     0, 0);
	wcm__mask_set(WCM_MASK_ALL);
	for (;;)
		__builtin_trap();
}

/* Send the signal again, for the default action to take it.  A sandbox may keep ours in
 * its place, or the signal from being sent, and say otherwise: false where it has not
 * come. */
static bool queue(int signal, siginfo_t *info)
{
	wcm__kernel_action_reset(signal);
	if (!is_default_in_kernel(signal))
		return false;
	send(signal, info);
	return is_pending(signal) || survives(info);
}

/* The kernel kills a thread by a fault that it has blocked, whatever the action. */
static bool fault_to_death(int signal, const siginfo_t *info, void *ucontext)
{
	uint64_t mask;
	void *const of_thread = &((ucontext_t *)ucontext)->uc_sigmask;

	if (info->si_code <= 0 || !wcm__arch_fault_again(signal, ucontext))
		return false;
	memcpy(&mask, of_thread, sizeof(mask));
	mask |= WCM_MASK_OF(signal);
	memcpy(of_thread, &mask, sizeof(mask));
	return true;
}

void wcm__chain_die(int signal, siginfo_t *info, void *ucontext)
{
	if (!survives(info))
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
