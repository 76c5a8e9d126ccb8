/* SPDX-License-Identifier: MIT */
/* starter.c - one thread at a time starts, flushes or finishes a trace.
 *
 * The thread that does has its number written down.  A mutex would stay locked in
 * a child of fork(2), whose exit(3) finishes the trace, too.  What cannot be written
 * is an error meanwhile, and no signal.
 */
#include "trace/starter.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <time.h>

#include "crash/mask.h"
#include "hook/unwatched.h"
#include "syscall.h"
#include "unwind/self.h"

static int owner;
static int depth; /* how often the owner has it */
static uint64_t mask; /* of the owner, before */

/* Whether the thread TID is one of this process. */
static bool is_there(int tid)
{
	return wcm__syscall(SYS_tgkill, wcm__process_id(), tid, 0, 0, 0, 0) != -ESRCH;
}

static void await(int other)
{
	const struct timespec tenth = { .tv_nsec = 100 * 1000 * 1000 };

	wcm__syscall(SYS_futex, (long)&owner, FUTEX_WAIT_PRIVATE, other, (long)&tenth,
		     0, 0);
}

/* Try to be the owner.  Returns who is, or was before. */
static int claim(int self)
{
	int other = 0;

	if (__atomic_compare_exchange_n(&owner, &other, self, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE) ||
	    other == self || is_there(other))
		return other;
	return __atomic_compare_exchange_n(&owner, &other, self, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ?
		       0 : other;
}

void wcm__starter_lock(void)
{
	const int self = wcm__thread_id();
	int other;

	while ((other = claim(self)) != 0 && other != self)
		await(other);
	depth = other == self ? depth + 1 : 1;
	if (depth == 1)
		mask = wcm__mask_add(WCM_MASK_WRITING);
	wcm__unwatched_begin();
}

void wcm__starter_unlock(void)
{
	const uint64_t before = mask;

	wcm__unwatched_end();
	if (--depth > 0)
		return;
	__atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
	wcm__syscall(SYS_futex, (long)&owner, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
	wcm__mask_forget(WCM_MASK_WRITING & ~before);
	wcm__mask_set(before);
}
