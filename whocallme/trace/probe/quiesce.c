/* SPDX-License-Identifier: MIT */
/* quiet.c - waiting for hooks to come out.
 *
 * The hooks' side costs them nothing but the order of their instructions: that a hook's
 * announcement is seen before it looks at the gate is seen to here, by membarrier(2).
 */
#include "hook/quiet.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <time.h>

#include "crash/clock.h"
#include "hook/tracer.h"
#include "syscall.h"
#include "unwind/self.h"

enum {
	MILLISECOND = 1000 * 1000, /* nanoseconds */
	PATIENCE = 1000 * MILLISECOND,
	YIELDS = 32,
};

static void nap(long ns)
{
	const struct timespec time = { .tv_nsec = ns };

	wcm__syscall(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
}

static long membarrier(int command)
{
	return wcm__syscall(SYS_membarrier, command, 0, 0, 0, 0, 0);
}

/* What other threads have stored so far is seen here, what was stored here is seen by
 * them.  Without membarrier(2) a millisecond does: a CPU holds no store back so long. */
static void barrier(void)
{
	long done = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);

	if (done == -EPERM) {
		membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
		done = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
	}
	if (done != 0)
		nap(MILLISECOND);
}

/* A while that grows: of all that wait for a CPU, those in hooks first. */
static void pause(int *turn)
{
	if ((*turn)++ < YIELDS)
		wcm__syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	else
		nap(MILLISECOND / 10);
}

/* Whether TRACER's thread is in a hook, and may come out. */
static bool is_busy(const struct wcm_tracer *tracer, int pid, int turn)
{
	const uintptr_t inside = __atomic_load_n(&tracer->inside, __ATOMIC_ACQUIRE);

	if (inside == 0 || tracer == wcm__tracer_own || tracer->pid != pid ||
	    (tracer->overdue == inside && tracer->overdue_since == tracer->last))
		return false;
	return turn < YIELDS ||
	       !wcm__tracer_has_ended(tracer, __atomic_load_n(&tracer->tid,
							      __ATOMIC_ACQUIRE));
}

static bool await_tracer(struct wcm_tracer *tracer, uint64_t until)
{
	const int pid = wcm__process_id();

	for (int turn = 0; is_busy(tracer, pid, turn); pause(&turn)) {
		if (turn > YIELDS && wcm__clock_ns() > until) {
			tracer->overdue = tracer->inside;
			tracer->overdue_since = tracer->last;
			return false;
		}
	}
	return true;
}

static bool await_none(const uint32_t *number, uint64_t until)
{
	for (int turn = 0; __atomic_load_n(number, __ATOMIC_ACQUIRE) > 0;
	     pause(&turn))
		if (turn > YIELDS && wcm__clock_ns() > until)
			return false;
	return true;
}

bool wcm__quiet_await_hooks(void)
{
	const uint64_t until = wcm__clock_ns() + PATIENCE;
	bool quiet;

	barrier();
	quiet = await_none(&wcm__tracer_process()->beginning, until);
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next)
		quiet &= await_tracer(tracer, until);
	return quiet;
}

bool wcm__quiet_await_all(void)
{
	const uint64_t until = wcm__clock_ns() + PATIENCE;
	const bool quiet =
		await_none(&wcm__tracer_process()->stopping, until);

	return wcm__quiet_await_hooks() && quiet;
}
