/* SPDX-License-Identifier: MIT */
/* chain.c (SAFE) - keeps and calls the actions that the program has for a signal, besides ours.
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
#include "crash/signals/called.h"
#include "crash/signals/handler_code.h"

/* An action, as the kernel has it.  Once READY it never changes and is never freed, so
 * that a handler may read the one it has found for as long as it likes. */
struct record {
	struct wcm_kernel_action action;
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

struct wcm_kernel_action *(*wcm__chain_stand_in)(int signal);
bool (*wcm__chain_sees_calls)(void);
uint64_t wcm__chain_stands_in;

/* What libc and the kernel make of the flags that a program sets; 0: not known yet, all. */
static unsigned long known_flags;
static bool is_learnt;
static struct wcm_kernel_action from_libc; /* its flags and its restorer are libc's own */

enum { RESTORER = 0x04000000 };

/* NULL: the kernel's action is the one. */
static struct wcm_kernel_action *stand_in(int signal)
{
	return wcm__chain_stands_in & WCM_MASK_OF(signal) ? wcm__chain_stand_in(signal) : NULL;
}

static struct wcm_kernel_action kernel_now(int signal)
{
	const struct wcm_kernel_action *instead = stand_in(signal);

	return instead ? *instead : wcm__kernel_action(signal);
}

/* Another copy of this library, which interposes sigaction(2), may keep what this one sets, as a
 * program's. */
static struct wcm_kernel_action now_of(int signal)
{
	struct wcm_kernel_action now = { .handler = UINTPTR_MAX };
	struct sigaction seen;

	if (stand_in(signal) || wcm__chain_sigaction != sigaction)
		return kernel_now(signal);
	if (wcm__chain_sigaction(signal, NULL, &seen) != 0)
		return now;
	memcpy(&now.handler, &seen.sa_handler, sizeof(now.handler));
	memcpy(&now.mask, &seen.sa_mask, sizeof(now.mask));
	now.flags = (unsigned)seen.sa_flags;
	now.restorer = from_libc.restorer;
	return now;
}

static uintptr_t address_of(wcm_signal_handler *handler)
{
	uintptr_t address;

	memcpy(&address, &handler, sizeof(address));
	return address;
}

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

bool wcm__chain_has(int signal)
{
	return signal > 0 && signal < _NSIG &&
	       __atomic_load_n(&our_handler[signal], __ATOMIC_RELAXED);
}

static const struct record *previous(int signal)
{
	const struct record *record =
		__atomic_load_n(&current[signal], __ATOMIC_ACQUIRE);

	return record ? record : &by_default;
}

static bool is_same(const struct record *one, const struct record *other)
{
	return one->action.handler == other->action.handler &&
	       one->action.mask == other->action.mask &&
	       one->action.flags == other->action.flags &&
	       one->action.restorer == other->action.restorer &&
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
		each->action = wanted->action;
		each->is_later = wanted->is_later;
		__atomic_store_n(&each->state, READY, __ATOMIC_RELEASE);
		return each;
	}
	return NULL;
}

static enum wcm_action kind_of(const struct record *record)
{
	return record->action.handler == (uintptr_t)SIG_DFL   ? WCM_ACTION_DEFAULT
	       : record->action.handler == (uintptr_t)SIG_IGN ? WCM_ACTION_IGNORE
							      : WCM_ACTION_CALL;
}

static bool is_ignored(const struct wcm_kernel_action *action)
{
	return action->handler == (uintptr_t)SIG_IGN;
}

/* A handler of another copy of this library blocks what ours does.  A program's sigfillset(3)
 * leaves out what libc keeps for itself, or has SIGSYS in it. */
static bool is_of_copy(const struct wcm_kernel_action *action)
{
	return (action->flags & SA_SIGINFO) &&
	       (action->mask | WCM_MASK_OF(SIGKILL) | WCM_MASK_OF(SIGSTOP)) == WCM_MASK_QUIET;
}

/* A handler that was set past us, and not by another copy. */
static bool is_strange(const struct wcm_kernel_action *action)
{
	const struct record record = { .action = *action };

	return action->handler != UINTPTR_MAX && kind_of(&record) == WCM_ACTION_CALL &&
	       !is_of_copy(action);
}

/* By the handler alone, whatever the flags: a program gets the handler from signal(2), and
 * sets it again without flags. */
static bool is(const struct wcm_kernel_action *action, wcm_signal_handler *handler)
{
	return action->handler == address_of(handler);
}

static bool has_siginfo(const struct wcm_kernel_action *action)
{
	return action->flags & SA_SIGINFO;
}

/* The kernel is asked: what another library has set past our sigaction(2), or a child of
 * vfork(2), is known nowhere else. */
bool wcm__chain_is_ours(int signal, wcm_signal_handler *ours)
{
	const struct wcm_kernel_action now = now_of(signal);

	return is(&now, ours);
}

/* A signal that ends the process by default and is no fault: where the program has another
 * action, the kernel has that. */
static bool is_let_go(int signal)
{
	return !(WCM_MASK_FATAL & WCM_MASK_OF(signal));
}

static bool set(int signal, const struct wcm_kernel_action *action)
{
	struct wcm_kernel_action *instead = stand_in(signal), made = *action;
	struct sigaction by_libc = { .sa_flags = 0 };

	if (instead) {
		*instead = *action;
		return true;
	}
	made.mask &= ~wcm__chain_stands_in;
	if (wcm__chain_sigaction != sigaction)
		return wcm__kernel_action_set(signal, &made, NULL) == 0;
	memcpy(&by_libc.sa_handler, &made.handler, sizeof(made.handler));
	memcpy(&by_libc.sa_mask, &made.mask, sizeof(made.mask));
	by_libc.sa_flags = (int)made.flags;
	return wcm__chain_sigaction(signal, &by_libc, NULL) == 0;
}

/* A signal that goes on being ignored interrupts no system call. */
static bool restarts(const struct record *record)
{
	return kind_of(record) != WCM_ACTION_CALL || (record->action.flags & SA_RESTART);
}

/* A handler of the program's that never asked for the alternate stack may need more room
 * than ours has, and reach beyond its guard page. */
static bool is_for_altstack(const struct record *record)
{
	return !record->is_later || kind_of(record) != WCM_ACTION_CALL ||
	       (record->action.flags & SA_ONSTACK);
}

/* The kernel has ACTION with these flags now: some it did not know, others are libc's. */
static void learn(int signal, unsigned long flags)
{
	const struct wcm_kernel_action now = wcm__kernel_action(signal);

	if (is_learnt || now.handler == UINTPTR_MAX)
		return;
	from_libc.flags = now.flags & ~flags;
	from_libc.restorer = now.restorer;
	wcm__chain_note_flags(now.flags);
	__atomic_store_n(&is_learnt, true, __ATOMIC_RELEASE);
}

/* Have the kernel call OURS, or what stands in for the kernel's action. */
static bool put(int signal, const struct sigaction *action)
{
	struct wcm_kernel_action *instead = stand_in(signal);

	if (!instead) {
		if (wcm__chain_sigaction(signal, action, NULL) != 0)
			return false;
		learn(signal, (unsigned)action->sa_flags);
		return true;
	}
	*instead = (struct wcm_kernel_action){ .handler = address_of(action->sa_sigaction),
					       .flags = (unsigned)action->sa_flags |
							from_libc.flags,
					       .restorer = from_libc.restorer };
	memcpy(&instead->mask, &action->sa_mask, sizeof(instead->mask));
	return true;
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

	/* libc's own, too: a cancellation would leave the handler half-way. */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	memcpy(&action.sa_mask, &quiet, sizeof(quiet));
	do {
		record = previous(signal);
		action.sa_flags = SA_SIGINFO |
				  (signal == SIGSYS ? SA_NODEFER : 0) |
				  (is_for_altstack(record) ? SA_ONSTACK : 0) |
				  (restarts(record) ? SA_RESTART : 0) |
				  (is_learnt ? 0 : WCM_CHAIN_UNSUPPORTED);
		taken = put(signal, &action);
	} while (previous(signal) != record);
	return taken;
}

bool wcm__chain_install(int signal, wcm_signal_handler *ours)
{
	const struct wcm_kernel_action before = now_of(signal);
	const struct record wanted = { .action = before };
	const struct record *record;

	pass_by_sanitizer();
	if (before.handler == UINTPTR_MAX)
		return false;
	if (is(&before, ours))
		return has_siginfo(&before) || take(signal, ours);
	if (wcm__chain_has(signal) && is(&before, our_handler[signal])) {
		__atomic_store_n(&our_handler[signal], ours, __ATOMIC_RELAXED);
		return take(signal, ours);
	}
	record = find(&wanted);
	if (!record)
		return false;
	/* Before ours is in place: it may be called that instant, and reads this. */
	__atomic_store_n(&our_handler[signal], ours, __ATOMIC_RELAXED);
	__atomic_store_n(&current[signal], record, __ATOMIC_RELEASE);
	return take(signal, ours);
}

bool wcm__chain_install_default(int signal, wcm_signal_handler *ours)
{
	const struct wcm_kernel_action now = now_of(signal);

	if (now.handler == UINTPTR_MAX)
		return false;
	if (now.handler == (uintptr_t)SIG_DFL || is(&now, our_handler[signal]) ||
	    is_of_copy(&now))
		return wcm__chain_install(signal, ours);
	__atomic_store_n(&our_handler[signal], ours, __ATOMIC_RELAXED);
	return true;
}

/* Where a signal was let go, the kernel has the program's action already. */
void wcm__chain_remove(int signal, wcm_signal_handler *ours)
{
	const bool is_ours = wcm__chain_is_ours(signal, ours);

	if (__atomic_load_n(&our_handler[signal], __ATOMIC_RELAXED) == ours)
		__atomic_store_n(&our_handler[signal], NULL, __ATOMIC_RELAXED);
	if (is_ours)
		set(signal, &previous(signal)->action);
}

void wcm__chain_remove_all(void)
{
	for (int signal = 1; signal < _NSIG; signal++)
		if (wcm__chain_has(signal))
			wcm__chain_remove(signal, our_handler[signal]);
}

struct wcm_kernel_action wcm__chain_as_libc(struct wcm_kernel_action action)
{
	action.flags |= from_libc.flags;
	action.restorer = from_libc.restorer;
	return action;
}

bool wcm__chain_ask(int signal, struct wcm_kernel_action *found)
{
	if (!wcm__chain_has(signal) ||
	    !wcm__chain_is_ours(signal, __atomic_load_n(&our_handler[signal], __ATOMIC_RELAXED)))
		return false;
	*found = previous(signal)->action;
	return true;
}

uint64_t wcm__chain_lend_ignored(void)
{
	const struct wcm_kernel_action ignore = { .handler = (uintptr_t)SIG_IGN };
	struct wcm_kernel_action found;
	uint64_t lent = 0;

	for (int signal = 1; signal < _NSIG; signal++)
		if (wcm__chain_ask(signal, &found) && is_ignored(&found) && !stand_in(signal) &&
		    wcm__kernel_action_set(signal, &ignore, NULL) == 0)
			lent |= WCM_MASK_OF(signal);
	return lent;
}

void wcm__chain_take_back(uint64_t lent)
{
	for (int signal = 1; signal < _NSIG && lent; signal++)
		if (lent & WCM_MASK_OF(signal))
			take(signal, our_handler[signal]);
}

void wcm__chain_note_flags(unsigned long flags)
{
	const unsigned long all = SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK |
				  SA_RESTART | SA_NODEFER | (uint32_t)SA_RESETHAND | RESTORER |
				  0x800 /* SA_EXPOSE_TAGBITS */;

	__atomic_store_n(&known_flags, flags & WCM_CHAIN_UNSUPPORTED ? ~0ul : all,
			 __ATOMIC_RELAXED);
}

/* So that sigaction(2) tells the same. */
struct wcm_kernel_action wcm__chain_as_kernel(struct wcm_kernel_action action)
{
	action.mask &= ~(WCM_MASK_OF(SIGKILL) | WCM_MASK_OF(SIGSTOP));
	if (known_flags != 0)
		action.flags &= known_flags;
	return action;
}

bool wcm__chain_change(int signal, const struct wcm_kernel_action *action,
		       struct wcm_kernel_action *found)
{
	const bool is_default = action->handler == (uintptr_t)SIG_DFL;
	const struct record *record;
	struct record wanted = { .is_later = true };
	wcm_signal_handler *ours;
	bool is_there;

	if (!wcm__chain_has(signal))
		return false;
	ours = __atomic_load_n(&our_handler[signal], __ATOMIC_RELAXED);
	/* A program that was shown ours, and sets it again, wants what we have found. */
	if (is(action, ours))
		return false;
	wanted.action = wcm__chain_as_kernel(*action);
	*found = now_of(signal);
	is_there = is(found, ours);
	if (is_there)
		*found = previous(signal)->action;
	/* A strange one gives up: the fault that comes again is ours. */
	if (is_let_go(signal) ? !is_default : !is_there && !(is_default && is_strange(found)))
		return is_there && set(signal, action);
	record = find(&wanted);
	if (!record)
		return false;
	record = __atomic_exchange_n(&current[signal], record, __ATOMIC_ACQ_REL);
	if (is_there)
		*found = record->action;
	return take(signal, ours);
}

enum wcm_action wcm__chain_before(int signal)
{
	return kind_of(previous(signal));
}

bool wcm__chain_is_later(int signal)
{
	return previous(signal)->is_later;
}

bool wcm__chain_is_copy(int signal)
{
	const struct record *record = previous(signal);

	return kind_of(record) == WCM_ACTION_CALL && is_of_copy(&record->action);
}

static bool is_default_now(int signal)
{
	return kernel_now(signal).handler == (uintptr_t)SIG_DFL;
}

/* The program's handler gives up by setting the default action: in the kernel, past us, or
 * through our sigaction(2), and by sending itself the signal, which is blocked meanwhile. */
bool wcm__chain_gave_up(int signal)
{
	return is_default_now(signal) ||
	       (wcm__chain_before(signal) == WCM_ACTION_DEFAULT &&
		(wcm__mask_pending() & WCM_MASK_OF(signal)));
}

void wcm__chain_let_go(int signal)
{
	const struct record *record = previous(signal);

	if (record->is_later && kind_of(record) == WCM_ACTION_DEFAULT)
		wcm__chain_remove(signal, our_handler[signal]);
}

/* The kernel's own code is above 0 also where it sends what is no fault. */
bool wcm__chain_is_sent(const siginfo_t *info)
{
	return info->si_code <= 0 || is_let_go(info->si_signo);
}

bool wcm__chain_is_survived(const siginfo_t *info)
{
	return wcm__chain_is_sent(info) && wcm__process_id() == 1;
}

/* A handler that has given up has set the default action past us, or used itself up. */
void wcm__chain_live_on(int signal)
{
	const struct record wanted = { .action.handler = (uintptr_t)SIG_DFL };
	const struct record *record;

	if (!is_default_now(signal))
		return;
	record = find(&wanted);
	__atomic_store_n(&current[signal], record ? record : &by_default, __ATOMIC_RELEASE);
	take(signal, our_handler[signal]);
}

/* What the kernel blocks while the handler runs. */
static uint64_t mask_for(const struct record *record, int signal,
			 const void *ucontext)
{
	return (wcm__mask_interrupted(ucontext) | record->action.mask |
		(record->action.flags & SA_NODEFER ? 0 : WCM_MASK_OF(signal))) &
	       ~wcm__chain_stands_in;
}

/* A handler with SA_RESETHAND, which is good for one call.  False if another thread has
 * just used it up, or replaced it: the exchange lets one of them have it. */
static bool use_up(int signal, const struct record *record)
{
	struct record wanted = *record;
	const struct record *spent;

	wanted.action.handler = (uintptr_t)SIG_DFL;
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
WCM_HANDLER_CODE bool wcm__chain_call(int signal, siginfo_t *info, void *ucontext, bool keep,
				      bool is_reported)
{
	const struct record *record = previous(signal);
	const bool is_lent = wcm__thread_pointer_is_lent();
	const uintptr_t broken = wcm__thread_pointer_broken();
	wcm_signal_handler *handler;
	struct wcm_called called;

	if (kind_of(record) != WCM_ACTION_CALL)
		return is_reported;
	if ((record->action.flags & SA_RESETHAND) && !keep && !use_up(signal, record))
		return is_reported;
	wcm__called_begin(&called, info, ucontext, is_reported);
	wcm__mask_set(mask_for(record, signal, ucontext));
	if (is_lent)
		wcm__thread_pointer_give_back(true);
	memcpy(&handler, &record->action.handler, sizeof(handler));
	handler(signal, info, ucontext);
	wcm__mask_set(WCM_MASK_QUIET);
	if (is_lent)
		wcm__thread_pointer_lend_again(broken);
	return wcm__called_end(&called);
}

/* Whether the handler was called without a siginfo_t.  With SA_RESETHAND the kernel has set
 * the default action before the call, and kept the flags: those count then, too. */
bool wcm__chain_lacks_siginfo(int signal)
{
	const struct wcm_kernel_action now = kernel_now(signal);

	return !(now.flags & SA_SIGINFO) &&
	       (now.handler == address_of(our_handler[signal]) ||
		now.handler == (uintptr_t)SIG_DFL);
}

bool wcm__chain_come_again(int signal, siginfo_t *info, void *ucontext)
{
	if (!take(signal, our_handler[signal]))
		return false;
	if (wcm__chain_lacks_siginfo(signal))
		return false;
	wcm__mask_set(WCM_MASK_QUIET | WCM_MASK_OF(signal));
	if (!wcm__arch_fault_again(signal, ucontext, wcm__read_code))
		wcm__signal_send(signal, info);
	return true;
}
