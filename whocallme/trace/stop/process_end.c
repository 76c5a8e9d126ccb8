/* SPDX-License-Identifier: MIT */
/* ending.c - what becomes of a trace when its process ends without exit(3)?
 *
 * By _exit(2), an exec, or a signal whose default action it is: what was counted would
 * be gone, and a file have the blank lines that were made ready.  One thread sees to it;
 * another one that would end the process waits, for a while.
 */
#include "hook/ending.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "crash/chain.h"
#include "crash/clock.h"
#include "crash/mask.h"
#include "crash/stop.h"
#include "hook/gate.h"
#include "hook/roomy.h"
#include "hook/tracer.h"
#include "syscall.h"
#include "unwind/self.h"
#include "whocallme/trace.h"

static const int ends[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
			    SIGALRM, SIGTERM, SIGXCPU };
enum { ENDS = sizeof(ends) / sizeof(*ends) };

#define PATIENCE ((uint64_t)2 * 1000 * 1000 * 1000) /* nanoseconds */
#define DEADLINE ((uint64_t)10 * 1000 * 1000 * 1000)

static int ender; /* the process one of whose threads is at it; 0: none */

/* Whether what was traced is this process's own, and not the parent's: a child knows
 * by its first call, and one of vfork(2) has its parent's memory. */
static bool is_ours(void)
{
	const int self = wcm__process_id();

	if (wcm__tracer_is_in_child())
		return false;
	if (wcm__gate.owner == self)
		return true;
	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next)
		if (tracer->generation == wcm__gate.generation &&
		    tracer->pid == self)
			return true;
	return false;
}

/* False, after a while, where another thread is at it. */
static bool take(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const uint64_t until = wcm__clock_ns() + PATIENCE;
	const int self = wcm__process_id();
	int before = __atomic_load_n(&ender, __ATOMIC_RELAXED);

	/* Who was at it in the process we were forked from is not here. */
	if (before != self &&
	    __atomic_compare_exchange_n(&ender, &before, self, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	while (__atomic_load_n(&ender, __ATOMIC_ACQUIRE) == self &&
	       wcm__clock_ns() < until)
		wcm__syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	return false;
}

static void give_back(void)
{
	__atomic_store_n(&ender, 0, __ATOMIC_RELEASE);
}

static void finish(void *argument)
{
	(void)argument;
	wcm_trace_stop();
	wcm__gate_call(&wcm__gate.leave);
}

void wcm__ending_finish(void)
{
	if ((!wcm__gate_is_open() && !wcm__gate.leave) || !is_ours() || !take())
		return;
	wcm__roomy_call(finish, NULL);
	give_back();
}

static void prepare_exec(void *argument)
{
	(void)argument;
	wcm__gate_call(&wcm__gate.exec);
}

void wcm__ending_exec(void)
{
	if (wcm__gate_is_open() && wcm__gate.exec && is_ours())
		wcm__roomy_call(prepare_exec, NULL);
}

/* A process that nothing kills, the first of its container, goes on and is traced. */
static void on_end(int signal, siginfo_t *info, void *ucontext)
{
	const int kept = errno;

	if (wcm__gate_is_open() && wcm__gate.crash && is_ours() && take()) {
		wcm__stop_arm(SIGKILL, wcm__clock_ns() + DEADLINE);
		wcm__gate_call(&wcm__gate.crash);
		wcm__stop_disarm();
		give_back();
	}
	wcm__chain_die(signal, info, ucontext);
	errno = kept;
}

static bool is_default(int signal)
{
	struct sigaction now;

	return wcm__chain_sigaction(signal, NULL, &now) == 0 &&
	       !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

void wcm__ending_watch_signals(void)
{
	for (int i = 0; i < ENDS; i++)
		if (is_default(ends[i]))
			wcm__chain_install(ends[i], on_end);
}
