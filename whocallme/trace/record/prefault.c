/* SPDX-License-Identifier: MIT */
/* prefault.c (SAFE) - runs the thread that makes the next part of a file ready, off the hot path.
 *
 * The thread has a table of descriptors of its own: the program expects the lowest number to
 * be free, and closes descriptors that it does not know; a file that it opens then must not
 * be written to.  Under valgrind, which knows no such thread, the table is shared.
 */
#include "trace/record/prefault.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/os/futex.h"
#include "core/os/kernel_action.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "crash/threads/own_threads.h"
#include "lines/spawn.h"
#include "trace/engine/tracer.h"

enum { PAGE = 4096, STACK = 64 << 10 };
enum { PAUSE = 100000, MOST_PAUSES = 10000 }; /* nanoseconds; a second in all */

/* THERE is set once in a process and never cleared but in a child of fork(2), which has no such
 * thread; a thread that rests has no TID.  A wake that comes between two looks is not lost: CALLED
 * has changed in between, and the futex does not wait. */
static bool there, is_sharing, is_to_end;
static uint32_t called; /* changes with every call */
static void (*do_work)(void);
static struct {
	int pid, tid; /* 0: there is none */
	char *mapped;
	size_t size;
} thread;

/* Who calls the system call exit(2) by hand ends a thread, and not the process.  If that
 * was the first, and none is left but ours, end as it did. */
static void end_if_left_alone(void)
{
	int status;

	if (!wcm__own_threads_are_alone(&status))
		return;
	/* The low seven bits are a signal; the status else is in the next eight. */
	if (status & 0x7f)
		wcm__tgkill(wcm__process_id(), wcm__thread_id(), SIGKILL);
	wcm__own_thread_end();
	wcm__exit_thread(status >> 8);
}

/* libc does not know this thread; its thread-local variables are all zero, so that it has no
 * tracer. */
static void run(void)
{
	if (!is_sharing)
		wcm__close_from(0);
	wcm__prctl(PR_SET_NAME, (unsigned long)"whocallme", 0);
	wcm__own_thread_begin(true);
	while (!__atomic_load_n(&is_to_end, __ATOMIC_ACQUIRE)) {
		uint32_t seen = __atomic_load_n(&called, __ATOMIC_ACQUIRE);

		do_work();
		if (wcm__futex_wait(&called, seen, 1000000000u) == -ETIMEDOUT)
			end_if_left_alone();
	}
	wcm__own_thread_end();
	wcm__exit_thread(0);
}

/* Its thread-local variables are at the same distance from its thread pointer as ours are from
 * our own, and zero.  Without CLONE_PARENT_SETTID or a robust list, nobody can join it, and libc
 * does not know it.  The page below the stack is not guarded: what runs there is known and
 * small. */
static bool spawn(void)
{
	const uintptr_t pointer = wcm__arch_thread_pointer();
	const uintptr_t ours = (uintptr_t)&wcm__tracer_own;
	const uintptr_t distance = ours < pointer ? pointer - ours : ours - pointer;
	/* Room on that side of the pointer for all variables as far as ours, and a page on the
	 * other for the words that the ABI has there. */
	const size_t room = (distance + 2 * PAGE) & ~(size_t)(PAGE - 1);
	const size_t below = ours < pointer ? room : PAGE;
	const size_t size = STACK + room + PAGE;
	long flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
		     CLONE_SETTLS;
	char *mapped;
	int tid;

	if (pointer == 0 || distance > SIZE_MAX / 4)
		return false;
	mapped = wcm__map_sparse(size);
	if (!mapped)
		return false;
	is_sharing = !wcm__kernel_is_linux(); /* but valgrind */
	if (is_sharing)
		flags |= CLONE_FILES;
	tid = wcm__arch_spawn(flags, mapped + STACK, mapped + STACK + below, run);
	if (tid <= 0) {
		wcm__unmap(mapped, size);
		return false;
	}
	thread.mapped = mapped;
	thread.size = size;
	thread.tid = tid;
	thread.pid = wcm__process_id();
	return true;
}

void wcm__prefault_start(void (*work)(void))
{
	if (__atomic_exchange_n(&there, true, __ATOMIC_ACQ_REL))
		return;
	do_work = work;
	spawn(); /* where it cannot be, it is not asked for again */
}

void wcm__prefault_forget(void)
{
	there = false;
	thread.tid = 0;
}

/* The child of vfork(2) has its parent's variables. */
int wcm__prefault_count(void)
{
	return thread.tid != 0 && thread.pid == wcm__process_id();
}

/* Its stack is there until the kernel is done with the thread, which may wait for a disk. */
void wcm__prefault_rest(void)
{
	if (wcm__prefault_count() == 0)
		return;
	__atomic_store_n(&is_to_end, true, __ATOMIC_RELEASE);
	wcm__prefault_wake();
	for (int i = 0; i < MOST_PAUSES && wcm__tgkill(thread.pid, thread.tid, 0) == 0; i++)
		wcm__nanosleep(PAUSE);
	if (!wcm__thread_is_gone(thread.pid, thread.tid))
		return;
	wcm__unmap(thread.mapped, thread.size);
	thread.tid = 0;
}

void wcm__prefault_go_on(void)
{
	uint64_t mask;

	if (!is_to_end)
		return;
	is_to_end = false;
	if (thread.tid != 0)
		return;
	mask = wcm__mask_set(WCM_MASK_ALL);
	spawn();
	wcm__mask_set(mask);
}

void wcm__prefault_wake(void)
{
	__atomic_fetch_add(&called, 1, __ATOMIC_ACQ_REL);
	wcm__prefault_tell(&called);
}

/* A tenth of a second at a time: who was to tell may be dead. */
void wcm__prefault_await(const uint32_t *word, uint32_t seen)
{
	wcm__futex_wait(word, seen, 100000000);
}

void wcm__prefault_tell(const uint32_t *word)
{
	wcm__futex_wake(word, INT32_MAX);
}
