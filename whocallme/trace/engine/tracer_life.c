/* SPDX-License-Identifier: MIT */
/* tracer_life.c (SAFE) - begins a thread's tracer, closes it when the thread has ended, hands it
 * on.
 *
 * A tracer outlives its thread, for a sink may still have use for it, and is given
 * to another thread once it is closed.  A forked child has a copy of each and uses
 * its own alone.
 */
#include "trace/engine/tracer_life.h"

#include "core/modules/linked.h"
#include "core/os/auxv.h"
#include "core/os/mask.h"
#include "core/os/self.h"
#include "core/os/work_stack.h"
#include "core/unwind/changed_return.h"
#include "core/unwind/stack_span.h"
#include "trace/engine/aside.h"
#include "trace/engine/gate.h"
#include "trace/engine/shadow.h"
#include "trace/engine/sharing.h"
#include "trace/engine/sink.h"
#include "trace/engine/ticks.h"

enum { PROBES = 4 };

/* What threads that are no more have seen.  Added to by whoever takes over a tracer, in any
 * thread, so atomically; read without a lock, and so perhaps with one tracer's counts half
 * added. */
static struct wcm_trace_counts gone;
static uint64_t gone_too_deep;
static uint64_t starved; /* events of threads that there was no memory for */

void wcm__tracers_prepare(void)
{
	gone = (struct wcm_trace_counts){ 0 };
	gone_too_deep = starved = 0;
	wcm__return_refused = 0;
	wcm__sharing_reset();
	wcm__auxv_keep();
	wcm__linked_prepare();
	wcm__tracer_watch_forks();
}

/* The threads of the parent are not here; what they had counted is its own.  With all signals
 * blocked, at the first event of a child.  The copies of the parent's tracers are idle from here
 * on: their shadows' calls are those of threads that the child does not have. */
static void begin_child(void)
{
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		tracer->generation = WCM_TRACER_IDLE;
		tracer->ended = tracer != wcm__tracer_own;
	}
	gone = (struct wcm_trace_counts){ 0 };
	gone_too_deep = starved = 0;
	wcm__return_refused = 0;
	wcm__sharing_forget();
	wcm__sharing_reset();
	if (wcm__gate.sink->fork)
		wcm__gate.sink->fork();
	wcm__process->pid = wcm__process_id();
	__atomic_store_n(&wcm__process->is_known, 1, __ATOMIC_RELEASE);
}

static void keep_counts(const struct wcm_tracer *tracer)
{
	__atomic_fetch_add(&gone.calls, tracer->calls, __ATOMIC_RELAXED);
	__atomic_fetch_add(&gone.lost, tracer->lost, __ATOMIC_RELAXED);
	__atomic_fetch_add(&gone.unwound, tracer->unwound, __ATOMIC_RELAXED);
	__atomic_fetch_add(&gone_too_deep, tracer->too_deep, __ATOMIC_RELAXED);
}

/* Close TRACER, whose thread has ended.  False where its sink is not done.  What is left open is
 * closed as unwound at the time of the thread's last event. */
static bool close_tracer(struct wcm_tracer *tracer)
{
	const struct wcm_sink *mode = wcm__gate_mode();

	if (tracer->generation != wcm__gate.generation)
		return true;
	if (mode && mode->before_close)
		mode->before_close(tracer);
	wcm__shadow_close_all(tracer, tracer->last);
	if (tracer->sink->end && !tracer->sink->end(tracer))
		return false;
	keep_counts(tracer);
	tracer->generation = WCM_TRACER_IDLE;
	return true;
}

/* Take TRACER for the thread TID, if its own has ended.  TAKEN in place of the owner's id is the
 * lock: the compare-and-exchange lets one thread in.  Should that thread die with it, the tracer
 * is lost, which costs its memory and no more. */
static bool take(struct wcm_tracer *tracer, int tid)
{
	int owner = __atomic_load_n(&tracer->tid, __ATOMIC_ACQUIRE);

	if (owner == WCM_TRACER_TAKEN ||
	    (owner != tid && !wcm__tracer_has_ended(tracer, owner)) ||
	    !__atomic_compare_exchange_n(&tracer->tid, &owner, WCM_TRACER_TAKEN,
					 false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	if (close_tracer(tracer))
		return true;
	tracer->ended = true;
	__atomic_store_n(&tracer->tid, owner, __ATOMIC_RELEASE);
	return false;
}

/* A tracer whose thread has ended, looked for where nobody has looked of late.  PROBES bounds
 * what a thread's first event costs, for to ask whether a thread has ended is a system call;
 * with a thousand threads most tracers belong to living ones.  PROBE is shared without a lock,
 * so that two threads may look at the same tracer, of which one gets it. */
static struct wcm_tracer *find_ended(int tid)
{
	static struct wcm_tracer *probe;
	struct wcm_tracer *tracer = __atomic_load_n(&probe, __ATOMIC_RELAXED);

	for (int i = 0; i < PROBES; i++, tracer = tracer->next) {
		if (!tracer && !(tracer = wcm__tracer_first()))
			return NULL;
		__atomic_store_n(&probe, tracer->next, __ATOMIC_RELAXED);
		if (take(tracer, tid))
			return tracer;
	}
	return NULL;
}

/* Begin to trace the calling thread by TRACER, its own, for the trace LIVE.  The generation is
 * stored last: until it is, others pass this tracer over. */
static bool begin(struct wcm_tracer *tracer, uint32_t live)
{
	tracer->pid = wcm__process_id();
	tracer->ended = false;
	tracer->calls = tracer->lost = tracer->unwound = 0;
	tracer->too_deep = 0;
	tracer->deepest = 0;
	tracer->most_stack = 0;
	tracer->inside = 0;
	tracer->looks = 0;
	tracer->number = wcm__thread_id();
	__atomic_store_n(&tracer->tid, tracer->number, __ATOMIC_RELEASE);
	tracer->sink = wcm__aside_sink_of(tracer->shadow);
	if (tracer->sink->begin && !tracer->sink->begin(tracer))
		return false;
	__atomic_store_n(&tracer->generation, live, __ATOMIC_RELEASE);
	return true;
}

/* Whoever shares the thread-local variables may begin at the same time: the first has them. */
static struct wcm_tracer *begin_thread(struct wcm_tracer *tracer, uint32_t live)
{
	struct wcm_tracer *before = tracer;
	const bool in_child = wcm__tracer_is_in_child();

	if (in_child)
		begin_child();
	if (!tracer) {
		const int tid = wcm__thread_id();

		tracer = find_ended(tid);
		if (!tracer)
			tracer = wcm__tracer_make();
		if (!tracer) {
			wcm__tracers_starve();
			return NULL;
		}
		wcm__shadow_begin(tracer);
	/* In a child, the thread that called fork(2) has its frames still, and its calls are
	 * open. */
	} else if (!in_child) {
		wcm__shadow_begin(tracer);
	}
	if (!begin(tracer, live) ||
	    !__atomic_compare_exchange_n(&wcm__tracer_own, &before, tracer, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		tracer->ended = true;
		return NULL;
	}
	return tracer;
}

/* No handler may jump away from this: whoever opens or closes a trace waits for it. */
static void begin_masked(void *argument)
{
	struct wcm_tracer **tracer = argument;
	uint32_t *beginning = &wcm__tracer_process()->beginning;
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL);
	uint32_t live;

	__atomic_fetch_add(beginning, 1, __ATOMIC_SEQ_CST);
	/* After BEGINNING is counted: whoever closes the gate either is seen here or waits for
	 * this. */
	live = __atomic_load_n(&wcm__gate.live, __ATOMIC_SEQ_CST);
	*tracer = live ? begin_thread(*tracer, live) : NULL;
	__atomic_fetch_sub(beginning, 1, __ATOMIC_SEQ_CST);
	wcm__mask_set(mask);
}

/* The thread's first event may be on any stack, and there is no tracer that has one. */
struct wcm_tracer *wcm__tracer_begin(struct wcm_tracer *tracer)
{
	if (wcm__sharing_is_guest()) {
		wcm__sharing_pass_over();
		return NULL;
	}
	wcm__work_stack_call(begin_masked, &tracer);
	if (tracer)
		tracer->is_guest =
			!wcm__stack_is_threads((uintptr_t)__builtin_frame_address(0));
	return tracer;
}

/* The thread that the variables are of may come later than one that shares them, and has them
 * then. */
static struct wcm_tracer *of_caller(struct wcm_tracer *tracer, uintptr_t sp)
{
	struct wcm_tracer *const mine = wcm__sharing_ask(tracer, sp);

	if (mine)
		return mine;
	if (tracer->is_guest && tracer->inside == 0 && wcm__sharing_may_own(sp) &&
	    __atomic_compare_exchange_n(&wcm__tracer_own, &tracer, NULL, false,
					__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return wcm__tracer_begin(NULL);
	wcm__sharing_pass_over();
	return NULL;
}

__attribute__((noinline)) struct wcm_tracer *wcm__tracer_enter_slowly(const struct wcm_regs *at)
{
	struct wcm_tracer *tracer = wcm__tracer_own;

	if (tracer && !wcm__sharing_is_seen_at(tracer, at->sp)) {
		tracer = of_caller(tracer, at->sp);
		if (!tracer)
			return NULL;
	}
	if (tracer && tracer->inside != 0 && wcm__hook_is_interrupted(tracer, at)) {
		tracer->lost++;
		return NULL;
	}
	if (tracer && !wcm__tracer_is_in_child() && wcm__tracer_enter(tracer, at))
		return tracer;
	tracer = wcm__tracer_begin(tracer);
	return tracer && wcm__tracer_enter(tracer, at) ? tracer : NULL;
}

/* A thread that has a hook under way does not come out of it any more, and is left to those who
 * take over its tracer. */
void wcm__tracer_close_calls(void)
{
	struct wcm_tracer *tracer = wcm__tracer_own;
	const struct wcm_regs here = {
		.pc = (uintptr_t)__builtin_return_address(0),
		.sp = (uintptr_t)__builtin_frame_address(0),
	};

	if (!tracer || wcm__sharing_tracer(here.sp) != tracer || tracer->inside ||
	    wcm__tracer_is_in_child() ||
	    !wcm__tracer_enter(tracer, &here))
		return;
	if (!(wcm__gate.flags & WCM_TRACE_NO_TIMES))
		tracer->last = wcm__ticks_after(tracer->last);
	wcm__shadow_close_all(tracer, tracer->last);
	wcm__tracer_leave(tracer);
}

/* Closes the tracers of threads that have ended and gives them back with the old number, so that
 * their successors find them. */
void wcm__tracers_settle(void)
{
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		const int tid = __atomic_load_n(&tracer->tid, __ATOMIC_ACQUIRE);

		if (tid > 0 && wcm__tracer_has_ended(tracer, tid) && take(tracer, 0)) {
			tracer->ended = true;
			__atomic_store_n(&tracer->tid, tid, __ATOMIC_RELEASE);
		}
	}
}

/* Of threads that run, the counts are as of some moment each. */
void wcm__tracers_count(struct wcm_trace_counts *counts)
{
	const uint32_t generation =
		__atomic_load_n(&wcm__gate.generation, __ATOMIC_ACQUIRE);

	*counts = gone;
	counts->lost += wcm__tracers_starved();
	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		if (tracer->generation != generation)
			continue;
		counts->calls += tracer->calls;
		counts->lost += tracer->lost;
		counts->unwound += tracer->unwound;
	}
}

bool wcm__tracers_starve(void)
{
	__atomic_fetch_add(&starved, 1, __ATOMIC_RELAXED);
	return false;
}

uint64_t wcm__tracers_starved(void)
{
	return __atomic_load_n(&starved, __ATOMIC_RELAXED);
}

uint64_t wcm__tracers_too_deep(void)
{
	const uint32_t generation =
		__atomic_load_n(&wcm__gate.generation, __ATOMIC_ACQUIRE);
	uint64_t count = gone_too_deep;

	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next)
		if (tracer->generation == generation)
			count += tracer->too_deep;
	return count;
}
