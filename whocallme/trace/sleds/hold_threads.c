/* SPDX-License-Identifier: MIT */
/* hold_threads.c (SAFE) - has all other threads stand still, at places that are known.
 *
 * Code can be exchanged while nobody runs it.  A thread is held by a signal that libc keeps
 * for itself and therefore lets no program block; its action is taken for the moment, and
 * what else the signal comes for is passed on.  A thread that a stopped thread has started
 * is in no earlier list, so lists are made until one has nothing new.
 */
#include "trace/sleds/hold_threads.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/os/futex.h"
#include "core/os/kernel_action.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "crash/threads/own_threads.h"
#include "crash/threads/tasks.h"

enum { SIGNAL = WCM_HOLD_SIGNAL, RESTORER = 0x04000000, HOLD_AT = 15,
       MOST_THREADS = 1 << HOLD_AT };

/* A signal carries one with the index of a thread in one word. */
#define MOST_HOLDS ((uint32_t)(UINTPTR_MAX >> HOLD_AT))

#define PATIENCE UINT64_C(1000000000)
#define MILLISECONDS_10 UINT64_C(10000000)

/* What a thread says that was asked in this hold. */
struct answer {
	int tid;
	uint32_t held; /* the hold that it is in */
};

static struct wcm_owner holder; /* the thread that holds the others */
static struct answer *answers;  /* MOST_THREADS */
static uint32_t hold;          /* its number; 0 between holds */
static uint32_t last_hold;     /* the latest, ended or not */
static uint32_t arrived;       /* counts answers, for who waits for one */
static void (*adjust_context)(void *ucontext);
static struct wcm_kernel_action previous;
static uint64_t mask;
static int asked; /* threads with an answer, of this hold */

static void pass_on(int signal, siginfo_t *info, void *ucontext)
{
	void (*handler)(int, siginfo_t *, void *);

	if (previous.handler == (uintptr_t)SIG_DFL || previous.handler == (uintptr_t)SIG_IGN)
		return;
	memcpy(&handler, &previous.handler, sizeof(handler));
	handler(signal, info, ucontext);
}

/* In the thread that is held.  One that comes when its hold has ended goes on. */
static void stand_still(int signal, siginfo_t *info, void *ucontext)
{
	const uintptr_t value = (uintptr_t)info->si_value.sival_ptr;
	const uint32_t number = (uint32_t)(value >> HOLD_AT);
	struct answer *answer = &answers[value & (MOST_THREADS - 1)];

	if (info->si_code != SI_QUEUE || info->si_pid != wcm__process_id() || number == 0) {
		pass_on(signal, info, ucontext);
		return;
	}
	if (number != __atomic_load_n(&hold, __ATOMIC_ACQUIRE))
		return;
	adjust_context(ucontext);
	__atomic_store_n(&answer->held, number, __ATOMIC_RELEASE);
	__atomic_add_fetch(&arrived, 1, __ATOMIC_RELEASE);
	wcm__futex_wake(&arrived, INT32_MAX);
	while (__atomic_load_n(&hold, __ATOMIC_ACQUIRE) == number)
		wcm__futex_wait(&hold, number, UINT64_MAX);
}

static bool take_signal(void)
{
	struct wcm_kernel_action action = {
		.flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | RESTORER,
		.restorer = wcm__arch_restorer_address(),
		.mask = WCM_MASK_QUIET,
	};
	void (*handler)(int, siginfo_t *, void *) = stand_still;

	memcpy(&action.handler, &handler, sizeof(handler));
	if (wcm__kernel_action_set(SIGNAL, &action, &previous) != 0)
		return false;
	if (previous.handler == action.handler)
		previous.handler = (uintptr_t)SIG_DFL;
	return true;
}

/* Where no handler was, ours stays: a thread that did not answer may do so any time. */
static void give_signal_back(void)
{
	if (previous.handler != (uintptr_t)SIG_DFL)
		wcm__kernel_action_set(SIGNAL, &previous, NULL);
}

/* False: there is no such thread any more, or no room for the signal. */
static bool ask(int tid, int index)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = SIGNAL;
	info.si_code = SI_QUEUE;
	info.si_pid = wcm__process_id();
	info.si_value.sival_ptr = (void *)((uintptr_t)hold << HOLD_AT | (uintptr_t)index);
	return wcm__rt_tgsigqueueinfo(wcm__process_id(), tid, SIGNAL, &info) == 0;
}

static bool has_ended(int tid)
{
	return wcm__thread_is_gone(wcm__process_id(), tid) || wcm__task_is_dead(tid);
}

/* Wait until it stands still, or is no more, or has begun as one that executes no sled. */
static bool await_answer(const struct answer *answer, uint64_t until)
{
	for (;;) {
		const uint32_t seen = __atomic_load_n(&arrived, __ATOMIC_ACQUIRE);

		if (__atomic_load_n(&answer->held, __ATOMIC_ACQUIRE) == hold)
			return true;
		if (wcm__own_thread_is_apart(answer->tid) ||
		    (wcm__futex_wait(&arrived, seen, MILLISECONDS_10) == -ETIMEDOUT &&
		     has_ended(answer->tid)))
			return true;
		if (wcm__clock_ns() > until)
			return false;
	}
}

static bool is_asked(int tid)
{
	for (int i = 0; i < asked; i++)
		if (answers[i].tid == tid)
			return true;
	return false;
}

/* Ask those of TASKS that have not been. */
static bool ask_all(const struct wcm_tasks *tasks, int *tid)
{
	for (int i = 0; i < tasks->count; i++) {
		*tid = tasks->tid[i];
		if (is_asked(*tid) || wcm__own_thread_is_apart(*tid))
			continue;
		if (asked == MOST_THREADS)
			return false;
		answers[asked] = (struct answer){ .tid = *tid, .held = 0 };
		if (ask(*tid, asked))
			asked++;
		else if (!has_ended(*tid))
			return false;
	}
	return true;
}

/* One list of all threads.  *IS_NEW: some were not known before. */
static bool hold_listed(bool *is_new, uint64_t until, int *tid)
{
	const int before = asked;
	struct wcm_tasks tasks;
	int after = 0;

	do {
		*tid = 0;
		if (!wcm__tasks_list(&tasks, after) || !ask_all(&tasks, tid))
			return false;
		after = tasks.count > 0 ? tasks.tid[tasks.count - 1] : 0;
	} while (tasks.count == WCM_TASKS);
	for (int i = before; i < asked; i++) {
		*tid = answers[i].tid;
		if (!await_answer(&answers[i], until))
			return false;
	}
	*is_new = asked > before;
	return true;
}

static bool hold_all(int *tid)
{
	const uint64_t until = wcm__clock_ns() + PATIENCE;
	bool is_new = true;

	while (is_new)
		if (!hold_listed(&is_new, until, tid))
			return false;
	return true;
}

bool wcm__threads_hold(void (*adjust)(void *ucontext), int *tid)
{
	*tid = 0;
	if (wcm__owner_take(&holder, wcm__clock_ns() + PATIENCE, wcm__owner_has_ended) !=
	    WCM_OWNED)
		return false;
	if (!answers)
		answers = wcm__map_sparse(MOST_THREADS * sizeof(*answers));
	if (!answers || !take_signal()) {
		wcm__owner_give_back(&holder);
		return false;
	}
	mask = wcm__mask_set(WCM_MASK_QUIET);
	adjust_context = adjust;
	asked = 0;
	last_hold = last_hold == MOST_HOLDS ? 1 : last_hold + 1;
	__atomic_store_n(&hold, last_hold, __ATOMIC_RELEASE);
	if (hold_all(tid))
		return true;
	wcm__threads_release();
	return false;
}

void wcm__threads_release(void)
{
	const uint64_t before = mask; /* the next holder's are its own */

	__atomic_store_n(&hold, 0, __ATOMIC_RELEASE);
	wcm__futex_wake(&hold, INT32_MAX);
	give_signal_back();
	wcm__owner_give_back(&holder);
	wcm__mask_set(before);
}
