/* SPDX-License-Identifier: MIT */
/* quiesce.c (SAFE) - waits until no thread is in a hook.
 *
 * A hook stores its announcement and then loads the gate; whoever waits stores the gate and
 * then loads the announcements.  Were both on the same side of a full barrier, one of the
 * two would see the other's store.  A hook has no barrier, which would cost it more than
 * all the rest: membarrier(2) executes one on every CPU that runs a thread of the process,
 * once for each wait.  After it, every hook that may have seen the gate open has been
 * announced, and it is enough to wait until each announcement is gone.
 *
 * Nothing is certain of a thread that is stopped, or that a signal handler has made
 * jump out of a hook: it is given a second, and not waited for again.  To go on without it is
 * harmless, since nobody takes away what it may have in its hand: tracers, shadows, tables of a
 * graph, filters and windows' headers are never freed; a window of lines is unmapped by who
 * copies its last byte, a recording's is replaced by other memory before its file is cut, and its
 * windows have an owner.  What the thread has still to tell is lost, or goes to the trace of
 * then.  The wait is there for the last calls of threads that are only slow.
 */
#include "trace/engine/quiesce.h"

#include <errno.h>
#include <linux/membarrier.h>

#include "core/os/clock.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "trace/engine/tracer.h"

enum {
	MILLISECOND = 1000 * 1000, /* nanoseconds */
	PATIENCE = 1000 * MILLISECOND,
	YIELDS = 32,
};

/* What other threads have stored so far is seen here, what was stored here is seen by
 * them.  Without membarrier(2) a millisecond does: a CPU holds no store back so long. */
static void barrier(void)
{
	long done = wcm__membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);

	/* The first use in a process: it has to be registered, once. */
	if (done == -EPERM) {
		wcm__membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
		done = wcm__membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
	}
	if (done != 0)
		wcm__nanosleep(MILLISECOND);
}

/* Wait a while, longer each time.  A hook takes less than a microsecond, so that to let
 * others run is enough at first. */
static void back_off(int *turn)
{
	if ((*turn)++ < YIELDS)
		wcm__sched_yield();
	else
		wcm__nanosleep(MILLISECOND / 10);
}

/* Whether TRACER's thread is in a hook, and may come out.  The calling thread's own hook
 * is one that this interrupts, and what a fork has left of other processes' threads stays
 * as it is.  A thread that has ended in a hook is asked for only after some turns, since
 * that is a system call. */
static bool is_busy(const struct wcm_tracer *tracer, int pid, int turn)
{
	/* INSIDE is the address of the hook's frame, so that the same value with the same time
	 * of the last event is the same hook, which was waited for in vain. */
	const uintptr_t inside = __atomic_load_n(&tracer->inside, __ATOMIC_ACQUIRE);

	if (inside == 0 || tracer == wcm__tracer_own || tracer->pid != pid ||
	    (tracer->overdue == inside && tracer->overdue_since == tracer->last))
		return false;
	return turn < YIELDS ||
	       !wcm__tracer_has_ended(tracer, __atomic_load_n(&tracer->tid,
							      __ATOMIC_ACQUIRE));
}

/* False: it has not come out UNTIL then.  Which of its hooks that was is written down, so
 * that the same one is not waited for again. */
static bool await_tracer(struct wcm_tracer *tracer, uint64_t until)
{
	const int pid = wcm__process_id();

	for (int turn = 0; is_busy(tracer, pid, turn); back_off(&turn)) {
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
	     back_off(&turn))
		if (turn > YIELDS && wcm__clock_ns() > until)
			return false;
	return true;
}

/* A thread at its first event has no tracer to announce itself in: such threads are
 * counted, and the list is gone through when there is none. */
bool wcm__quiesce_hooks(void)
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

bool wcm__quiesce_all(void)
{
	const uint64_t until = wcm__clock_ns() + PATIENCE;
	const bool quiet =
		await_none(&wcm__tracer_process()->stopping, until);

	return wcm__quiesce_hooks() && quiet;
}
