/* SPDX-License-Identifier: MIT */
/* asker.c - whose turn is it to ask?
 *
 * Who has it lies in a page that the kernel wipes in the child of a fork, where that
 * thread does not exist; a child of vfork(2) finds its parent's id there, and is given
 * none.  Linux wipes since 4.14; before that a child is told by its id, and one of
 * vfork(2) not told apart.
 */
#include "lines/asker.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "crash/clock.h"
#include "syscall.h"
#include "unwind/self.h"

enum { PAGE = 4096 };

#define SECOND ((uint64_t)1000000000)

static union {
	struct {
		int pid;   /* whose memory this is; 0: nobody has come yet */
		int owner; /* the thread whose turn it is; 0: nobody's */
		uint32_t number;
		uint32_t waited_out; /* one more than a turn too long for somebody */
	};
	char page[PAGE];
} turn __attribute__((aligned(PAGE)));

static bool prepared, is_wiped;

static bool is_failure(long result)
{
	return result < 0 && result > -4096;
}

void wcm__asker_prepare(void)
{
	if (__atomic_test_and_set(&prepared, __ATOMIC_ACQ_REL))
		return;
	is_wiped = !is_failure(wcm__syscall(SYS_madvise, (long)&turn, sizeof(turn),
					    MADV_WIPEONFORK, 0, 0, 0));
}

/* Whether this process merely borrows its memory. */
static bool is_borrowed(void)
{
	int pid = wcm__process_id(), before = 0;

	if (__atomic_compare_exchange_n(&turn.pid, &before, pid, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
	    before == pid)
		return false;
	if (!is_wiped)
		memset(&turn, 0, sizeof(turn));
	return is_wiped;
}

/* Wait until OWNER has given the turn back, or for NS. */
static void wait_for_turn(int owner, uint64_t ns)
{
	const struct timespec time = { (time_t)(ns / SECOND),
				       (long)(ns % SECOND) };

	wcm__syscall(SYS_futex, (long)&turn.owner, FUTEX_WAIT_PRIVATE, owner,
		     (long)&time, 0, 0);
}

/* One that has been stopped, or whose reader is stuck, keeps nobody waiting twice. */
bool wcm__asker_take(uint64_t patience)
{
	const int self = wcm__thread_id();
	uint64_t until = 0, now;
	uint32_t number, seen = 0;

	if (is_borrowed())
		return false;
	for (;;) {
		int owner = 0;

		if (__atomic_compare_exchange_n(&turn.owner, &owner, self, false,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			break;
		number = __atomic_load_n(&turn.number, __ATOMIC_RELAXED);
		now = wcm__clock_ns();
		if (until == 0 || number != seen)
			until = now + patience;
		seen = number;
		if (owner == self || turn.waited_out == number + 1)
			return false;
		if (now >= until) {
			turn.waited_out = number + 1;
			return false;
		}
		wait_for_turn(owner, until - now);
	}
	__atomic_add_fetch(&turn.number, 1, __ATOMIC_RELAXED);
	return true;
}

void wcm__asker_give_back(void)
{
	__atomic_store_n(&turn.owner, 0, __ATOMIC_RELEASE);
	wcm__syscall(SYS_futex, (long)&turn.owner, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
