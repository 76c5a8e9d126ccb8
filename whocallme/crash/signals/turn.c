/* SPDX-License-Identifier: MIT */
/* turn.c - whose turn is it to report?
 *
 * One thread at a time.  What is known of it lies in a page that the kernel
 * wipes in the child of a fork, where that thread does not exist.  The child of
 * vfork(2) finds another process's id there: the memory is its parent's, whose
 * other threads run on and may crash as well, so it takes turns with them.
 */
#include "crash/turn.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "crash/clock.h"
#include "crash/start_page.h"
#include "syscall.h"
#include "unwind/self.h"

enum { MOST_REPORTS = 16, PAUSE_NS = 5000000 };

struct state {
	uint64_t holder; /* process and thread; 0: nobody */
	int pid;	 /* whose memory this is; 0: wiped */
	unsigned reports;
};

enum { PAGE = 4096 };

static union {
	struct state state;
	char page[PAGE];
} shared __attribute__((aligned(PAGE)));

static struct state *const state = &shared.state;
static bool prepared WCM_START_PAGE, is_wiped WCM_START_PAGE;

static __thread char own __attribute__((tls_model("initial-exec")));

/* Never 0.  Threads whose ids cannot be had are told apart by where they keep their
 * variables. */
static uint64_t my_id(void)
{
	const uint32_t unknown = 1u << 31;
	uint32_t tid = (uint32_t)wcm__thread_id();

	if (tid == 0)
		tid = unknown | (uint32_t)((uintptr_t)&own >> 4);
	return (uint64_t)(uint32_t)wcm__process_id() << 32 | tid;
}

static bool is_failure(long result)
{
	return result < 0 && result > -4096;
}

/* A page of its own, of anonymous memory in the middle of .bss.  Linux 4.14 wipes
 * it; before that a child is told by its id, and one of vfork(2) not told apart. */
void wcm__turn_prepare(void)
{
	if (__atomic_test_and_set(&prepared, __ATOMIC_ACQ_REL))
		return;
	shared.state.pid = wcm__process_id();
	is_wiped = !is_failure(wcm__syscall(SYS_madvise, (long)&shared,
					    sizeof(shared), MADV_WIPEONFORK, 0,
					    0, 0));
}

bool wcm__turn_is_borrowed(void)
{
	int pid = wcm__process_id(), none = 0;

	if (pid == 0)
		return false;
	if (!is_wiped) {
		if (state->pid != pid)
			*state = (struct state){ .pid = pid };
		return false;
	}
	__atomic_compare_exchange_n(&state->pid, &none, pid, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return state->pid != pid;
}

bool wcm__turn_is_mine(void)
{
	return __atomic_load_n(&state->holder, __ATOMIC_ACQUIRE) == my_id();
}

bool wcm__turn_is_anothers(void)
{
	uint64_t holder = __atomic_load_n(&state->holder, __ATOMIC_ACQUIRE);
	uint64_t me;

	if (holder == 0) /* a filter may kill for a question */
		return false;
	me = my_id();
	return holder != me && holder >> 32 == me >> 32;
}

static bool replace(uint64_t holder, uint64_t with)
{
	return __atomic_compare_exchange_n(&state->holder, &holder, with, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Whether process PID has died, be it that nobody knows yet. */
static bool is_dead(int pid)
{
	siginfo_t child = { .si_pid = 0 };
	long result = wcm__syscall(SYS_waitid, P_PID, pid, (long)&child,
				   WEXITED | WNOHANG | WNOWAIT, 0, 0);

	if (result == 0)
		return child.si_pid == pid;
	return wcm__syscall(SYS_kill, pid, 0, 0, 0, 0, 0) == -ESRCH;
}

/* Take what a process that shares this memory has died with; one that had it
 * until the DEADLINE is taken for dead. */
static bool inherit(uint64_t me, uint64_t deadline)
{
	uint64_t holder = __atomic_load_n(&state->holder, __ATOMIC_ACQUIRE);

	return holder != 0 && holder >> 32 != me >> 32 &&
	       (wcm__clock_ns() > deadline || is_dead((int)(holder >> 32))) &&
	       replace(holder, me);
}

/* The process usually dies while a thread waits. */
bool wcm__turn_take(uint64_t deadline)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	uint64_t me = my_id();

	while (!replace(0, me)) {
		if (inherit(me, deadline))
			return true;
		if (wcm__clock_ns() > deadline)
			return false;
		wcm__syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	}
	return true;
}

void wcm__turn_give_back(void)
{
	replace(my_id(), 0);
}

bool wcm__turn_count(void)
{
	return wcm__turn_is_borrowed() ||
	       __atomic_add_fetch(&state->reports, 1, __ATOMIC_RELAXED) <=
		       MOST_REPORTS;
}
