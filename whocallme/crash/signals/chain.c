/* SPDX-License-Identifier: MIT */
/* chain.c - calls the actions that the program has for a signal, besides ours, and lets
 * the process die.
 *
 * The action that was there before ours notices nothing of it: it has its own mask and
 * flags, the original siginfo and machine state.  So has one that the program sets
 * later, where its sigaction(2) is interposed (libwhocallme-preload.so).
 *
 * Actions are replaced while other threads crash, and by handlers.  So each is a
 * pointer to a record that never changes: nobody waits, or sees half of one.
 */
#include "crash/signals/chain.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/modules/module_read.h"
#include "core/os/kernel_action.h"
#include "core/os/mask.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/thread_pointer.h"
#include "crash/signals/handler_code.h"

/* An action, as sigaction(2) has it.  Once READY it never changes and is never freed, so
 * that a handler may read the one it has found for as long as it likes. */
struct record {
	union {
		void (*plain)(int);
		wcm_signal_handler *full; /* SA_SIGINFO */
	} handler;
	uint64_t mask; /* what the kernel keeps of a sigset_t */
	int flags;
	bool is_later; /* set by the program after ours was there */
	unsigned char state;
};

enum { FREE, BUSY, READY }; /* BUSY: one thread fills it, the others pass by */

/* A program has a few actions, which it sets again and again. */
enum { MOST = 128 };
static struct record records[MOST];

static const struct record by_default = { .state = READY };

/* By signal, what is called besides ours; NULL: the signal was never ours.  Each is
 * exchanged at once, before the kernel's action, which is always ours, is made to fit. */
static const struct record *current[_NSIG];
static wcm_signal_handler *our_handler[_NSIG];

wcm_sigaction_function *wcm__chain_sigaction = sigaction;

/* The thread sanitizer's sigaction(2) installs a handler of its own, which calls ours as
 * the program's.  Ours calls the sanitizer's action for the fault in turn, and what that
 * does is then taken for an error of the program, whose report replaces that of the fault.
 * __sigaction is libc's own function. */
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

/* The record that says what WANTED does; NULL where there is no room for it.  Two threads
 * may add the same one, which does no harm. */
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

/* By the handler alone, whatever the flags: a program gets the handler from signal(2), and
 * sets it again without flags. */
static bool is(const struct sigaction *action, wcm_signal_handler *handler)
{
	return action->sa_sigaction == handler;
}

static bool has_siginfo(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO;
}

/* The kernel is asked: what another library has set past our sigaction(2), or a child of
 * vfork(2), is known nowhere else. */
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

/* A handler of the program's that never asked for the alternate stack may need more room
 * than ours has, and reach beyond its guard page. */
static bool is_for_altstack(const struct record *record)
{
	return !record->is_later || kind_of(record) != WCM_ACTION_CALL ||
	       (record->flags & SA_ONSTACK);
}

/* Install OURS in the kernel, with the flags that the current record asks for.  Another
 * thread may exchange the record meanwhile: then it is done again, so that the last one
 * to do it has seen the last record.
 *
 * SIGSYS is not blocked from the handler's first instruction on: a seccomp filter may trap
 * any system call of it, the one that would unblock SIGSYS among them.  All others are
 * blocked until the handler unblocks them; if it is not allowed to, a fault in it is the
 * end. */
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
	/* Before ours is in place: it may be called that instant, and reads this. */
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

	/* A program that was shown ours, and sets it again, wants what we have found. */
	if (is(action, our_handler[signal]))
		return false;
	/* As the kernel does it, so that sigaction(2) tells the same. */
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
	return wcm__mask_pending() & WCM_MASK_OF(signal);
}

static bool is_default_in_kernel(int signal)
{
	return wcm__kernel_action(signal).handler == (uintptr_t)SIG_DFL;
}

/* The program's handler gives up by setting the default action: in the kernel, past us, or
 * through our sigaction(2), and by sending itself the signal, which is blocked meanwhile. */
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

bool wcm__chain_is_survived(const siginfo_t *info)
{
	return info->si_code <= 0 && wcm__process_id() == 1;
}

/* A handler that has given up has set the default action past us, or used itself up. */
void wcm__chain_live_on(int signal)
{
	const struct record wanted = { .handler.plain = SIG_DFL };
	const struct record *record;

	if (!is_default_in_kernel(signal))
		return;
	record = find(&wanted);
	__atomic_store_n(&current[signal], record ? record : &by_default, __ATOMIC_RELEASE);
	take(signal, our_handler[signal]);
}

/* What the kernel blocks while the handler runs. */
static uint64_t mask_for(const struct record *record, int signal,
			 const void *ucontext)
{
	return wcm__mask_interrupted(ucontext) | record->mask |
	       (record->flags & SA_NODEFER ? 0 : WCM_MASK_OF(signal));
}

/* A handler with SA_RESETHAND, which is good for one call.  False if another thread has
 * just used it up, or replaced it: the exchange lets one of them have it. */
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

/* The program's handler runs with its own mask, and with the thread pointer that the thread
 * had, broken as it is: the handler may know why.  Nothing thread-local may be touched
 * between giving ours back and lending it again. */
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

/* Whether the handler was called without a siginfo_t.  With SA_RESETHAND the kernel has set
 * the default action before the call, and kept the flags: those count then, too. */
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
	const int pid = wcm__process_id(), tid = wcm__thread_id();

	if (wcm__rt_tgsigqueueinfo(pid, tid, signal, info) < 0)
		wcm__tgkill(pid, tid, signal);
}

bool wcm__chain_come_again(int signal, siginfo_t *info, void *ucontext)
{
	if (!take(signal, our_handler[signal]))
		return false;
	if (wcm__chain_lacks_siginfo(signal))
		return false;
	wcm__mask_set(WCM_MASK_QUIET | WCM_MASK_OF(signal));
	if (!wcm__arch_fault_again(signal, ucontext, wcm__read_code))
		send(signal, info);
	return true;
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
	send(signal, info);
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
