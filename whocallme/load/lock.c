/* SPDX-License-Identifier: MIT */
/* lock.c - lets one thread at a time load; BFD is not thread-safe.
 *
 * A fork waits for the lock, so that no child is born with a table half made.  A
 * signal handler that forks in the thread that loads does not: it would wait for
 * itself.  A wcm_owner would not do: a child would take it over with what BFD has half made,
 * and loading takes seconds, for which threads sleep by a mutex.
 */
#include "load/lock.h"

#include <pthread.h>
#include <stdbool.h>

#include "core/os/mask.h"
#include "core/os/unwatched.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* This thread has the lock: a signal handler that forks must not wait for what
 * it interrupted. */
static __thread volatile bool held __attribute__((tls_model("initial-exec")));

/* The forks under way in this thread, each in a handler that interrupts the one before: the first
 * has the lock. */
static __thread unsigned forks __attribute__((tls_model("initial-exec")));

static void acquire(void)
{
	pthread_mutex_lock(&mutex);
}

static void release(void)
{
	pthread_mutex_unlock(&mutex);
}

/* Blocked while a fork is counted and has no lock.  A mutex may have probes in libc, whose traps
 * cannot wait. */
#define QUIET (WCM_MASK_QUIET & ~WCM_MASK_OF(SIGTRAP))

/* No handler finds a fork that is counted and has no lock. */
static void before_fork(void)
{
	uint64_t mask;

	if (held)
		return;
	mask = wcm__mask_set(QUIET);
	if (forks++ == 0)
		acquire();
	wcm__mask_set(mask);
}

static void after_fork(void)
{
	uint64_t mask;

	if (held)
		return;
	mask = wcm__mask_set(QUIET);
	if (--forks == 0)
		release();
	wcm__mask_set(mask);
}

static void guard_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

void wcm__lock(void)
{
	pthread_once(&once, guard_forks);
	held = true;
	acquire();
	wcm__unwatched_begin();
}

void wcm__unlock(void)
{
	wcm__unwatched_end();
	release();
	held = false;
}
