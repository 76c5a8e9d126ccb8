/* SPDX-License-Identifier: MIT */
/* unwatched_sink.c (SAFE) - calls a sink out of sight of the program's sanitizers.
 *
 * One trace is open at a time, so that the sink inside is one variable.
 */
#include "trace/filter/call_filter.h"

#include "core/os/unwatched.h"

static const struct wcm_sink *within;

static bool begin(struct wcm_tracer *tracer)
{
	bool has_begun;

	wcm__unwatched_begin();
	has_begun = !within->begin || within->begin(tracer);
	wcm__unwatched_end();
	return has_begun;
}

static void enter(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth)
{
	wcm__unwatched_begin();
	within->enter(tracer, call, depth);
	wcm__unwatched_end();
}

static void leave(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
		  uint64_t now, enum wcm_end end)
{
	wcm__unwatched_begin();
	within->leave(tracer, call, depth, now, end);
	wcm__unwatched_end();
}

static bool end(struct wcm_tracer *tracer)
{
	bool has_ended;

	wcm__unwatched_begin();
	has_ended = !within->end || within->end(tracer);
	wcm__unwatched_end();
	return has_ended;
}

static void in_child(void)
{
	wcm__unwatched_begin();
	if (within->fork)
		within->fork();
	wcm__unwatched_end();
}

static const struct wcm_sink unwatched = {
	.begin = begin, .enter = enter, .leave = leave, .end = end, .fork = in_child,
};

const struct wcm_sink *wcm__unwatched_sink(const struct wcm_sink *sink)
{
	within = sink;
	return wcm__unwatched_is_needed() ? &unwatched : sink;
}
