/* SPDX-License-Identifier: MIT */
/* keeper.c - who makes the next part of a file ready, off the hot path? */
#include "hook/keeper.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "arch/arch.h"
#include "hook/tracer.h"
#include "syscall.h"

enum { PAGE = 4096, STACK = 64 << 10, ERRORS = 4096 };

static bool there;
static uint32_t called; /* changes with every call */
static void (*do_work)(void);

static void run(void)
{
	wcm__syscall(SYS_prctl, PR_SET_NAME, (long)"whocallme", 0, 0, 0, 0);
	for (;;) {
		uint32_t seen = __atomic_load_n(&called, __ATOMIC_ACQUIRE);

		do_work();
		wcm__syscall(SYS_futex, (long)&called, FUTEX_WAIT_PRIVATE, seen, 0,
			     0, 0);
	}
}

/* Its thread-local variables are at the same distance from its thread pointer as
 * ours are from our own, and zero. */
static bool spawn(void)
{
	const uintptr_t pointer = wcm__arch_thread_pointer();
	const uintptr_t distance = pointer - (uintptr_t)&wcm__tracer_own;
	const size_t below = (distance + 2 * PAGE) & ~(size_t)(PAGE - 1);
	const size_t size = STACK + below + PAGE;
	const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			   CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
	long mapped;

	if (pointer == 0 || distance > SIZE_MAX / 4)
		return false;
	mapped = wcm__syscall(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped < 0 && mapped > -ERRORS)
		return false;
	if (wcm__arch_spawn(flags, (char *)mapped + STACK,
			    (char *)mapped + STACK + below, run) > 0)
		return true;
	wcm__syscall(SYS_munmap, mapped, (long)size, 0, 0, 0, 0);
	return false;
}

void wcm__keeper_start(void (*work)(void))
{
	if (__atomic_exchange_n(&there, true, __ATOMIC_ACQ_REL))
		return;
	do_work = work;
	spawn(); /* where it cannot be, it is not asked for again */
}

void wcm__keeper_forget(void)
{
	there = false;
}

void wcm__keeper_wake(void)
{
	__atomic_fetch_add(&called, 1, __ATOMIC_ACQ_REL);
	wcm__keeper_tell(&called);
}

void wcm__keeper_await(const uint32_t *word, uint32_t seen)
{
	const struct timespec tenth = { .tv_nsec = 100000000 };

	wcm__syscall(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, seen,
		     (long)&tenth, 0, 0);
}

void wcm__keeper_tell(const uint32_t *word)
{
	wcm__syscall(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0,
		     0);
}
