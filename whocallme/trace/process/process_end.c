/* SPDX-License-Identifier: MIT */
/* process_end.c (SAFE) - finishes a trace whose process ends without exit(3).
 *
 * A process that ends by _exit(2), an exec or a signal runs no destructors: a graph would be
 * lost, and a file of lines would keep the blank lines that were made ready.  One thread
 * finishes the trace; another that would end the process waits for it, but not for ever.
 */
#include "trace/process/process_end.h"

#include <errno.h>
#include <signal.h>

#include "core/os/clock.h"
#include "core/os/mask.h"
#include "core/os/owner.h"
#include "core/os/self.h"
#include "core/os/work_stack.h"
#include "crash/signals/chain.h"
#include "crash/signals/stop.h"
#include "trace/engine/gate.h"
#include "trace/engine/sink.h"
#include "trace/engine/tracer.h"
#include "trace/system/system_calls.h"
#include "trace/process/trace_stop.h"
#include "whocallme/trace.h"

static const int ends[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
			    SIGALRM, SIGTERM, SIGXCPU };
enum { ENDS = sizeof(ends) / sizeof(*ends) };

#define PATIENCE ((uint64_t)2 * 1000 * 1000 * 1000) /* nanoseconds */
#define DEADLINE ((uint64_t)10 * 1000 * 1000 * 1000)

bool wcm__process_end_is_told;

static struct wcm_owner ender; /* the thread that is at it */

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

/* False where another thread does it, and has, or for too long, or where this one is in
 * the middle of it. */
static bool take(void)
{
	if (wcm__owner_take(&ender, 0, wcm__owner_has_ended) == WCM_OWNED)
		return true;
	if (wcm__owner_take(&ender, wcm__clock_ns() + PATIENCE,
			    wcm__owner_has_ended) == WCM_OWNED)
		wcm__owner_give_back(&ender);
	return false;
}

static void finish(void *argument)
{
	const struct wcm_sink *mode;

	(void)argument;
	wcm__trace_close();
	mode = wcm__gate_mode();
	if (mode && mode->exit)
		mode->exit();
}

bool wcm__process_end_comes_later(void)
{
	const struct wcm_sink *mode = wcm__gate_mode();

	return mode && mode->goes_on && wcm__system_calls_are_on();
}

void wcm__process_end_finish(void)
{
	const struct wcm_sink *mode = wcm__gate_mode();

	if ((!wcm__gate_is_open() && !(mode && mode->exit)) || !is_ours() || !take())
		return;
	wcm__work_stack_call(finish, NULL);
	wcm__owner_give_back(&ender);
}

static void prepare_exec(void *argument)
{
	const struct wcm_sink *mode = wcm__gate_mode();

	(void)argument;
	if (mode && mode->exec)
		mode->exec();
}

void wcm__process_end_exec(void)
{
	const struct wcm_sink *mode = wcm__gate_mode();

	if (wcm__gate_is_open() && mode && mode->exec && is_ours())
		wcm__work_stack_call(prepare_exec, NULL);
}

void wcm__process_end_give_up(enum wcm_gives_up what)
{
	const struct wcm_sink *mode = wcm__gate_mode();

	if (!mode || !mode->reserve)
		return;
	if (wcm__gate_is_open() && is_ours())
		mode->reserve(what);
	if (what != WCM_GIVES_UP_PATHS)
		mode->release();
}

void wcm__process_end_crash(void)
{
	const struct wcm_sink *mode = wcm__gate_mode();

	if (wcm__gate_is_open() && mode && mode->crash)
		mode->crash();
}

/* A process that nothing kills, the first of its container, goes on and is traced. */
static void on_end(int signal, siginfo_t *info, void *ucontext)
{
	const int kept = errno;

	if (wcm__gate_is_open() && is_ours() && take()) {
		wcm__stop_arm(SIGKILL, wcm__clock_ns() + DEADLINE);
		wcm__process_end_crash();
		wcm__stop_disarm();
		wcm__owner_give_back(&ender);
	}
	wcm__system_calls_hide_return();
	if (!wcm__chain_is_survived(info))
		wcm__chain_die(signal, info, ucontext);
	errno = kept;
}

/* Signals that crash reports handle are left out: those reports finish the trace. */
void wcm__process_end_watch_signals(void)
{
	for (int i = 0; i < ENDS; i++)
		if (!wcm__chain_has(ends[i]))
			wcm__chain_install_default(ends[i], on_end);
}
