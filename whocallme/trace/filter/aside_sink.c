/* SPDX-License-Identifier: MIT */
/* aside_sink.c (SAFE) - calls a sink on a stack with room for what that does.
 *
 * One trace is open at a time, so that the sink inside is one variable.
 */
#include "trace/filter/call_filter.h"

#include "trace/engine/aside.h"

static const struct wcm_sink *within;

struct told {
	struct wcm_tracer *tracer;
	struct wcm_call *call;
	uint64_t now;
	uint32_t depth;
	enum wcm_end end;
};

static void enter_aside(void *argument)
{
	const struct told *told = argument;

	within->enter(told->tracer, told->call, told->depth);
}

static void enter(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth)
{
	wcm__aside(tracer, enter_aside,
		   &(struct told){ .tracer = tracer, .call = call, .depth = depth });
}

static void leave_aside(void *argument)
{
	const struct told *told = argument;

	within->leave(told->tracer, told->call, told->depth, told->now, told->end);
}

static void leave(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
		  uint64_t now, enum wcm_end end)
{
	wcm__aside(tracer, leave_aside, &(struct told){ tracer, call, now, depth, end });
}

static void leave_stack_aside(void *argument)
{
	within->leave_stack(argument);
}

static void leave_stack(struct wcm_tracer *tracer)
{
	if (within->leave_stack)
		wcm__aside(tracer, leave_stack_aside, tracer);
}

/* These are called where there is room. */
static bool begin(struct wcm_tracer *tracer)
{
	return !within->begin || within->begin(tracer);
}

static bool end(struct wcm_tracer *tracer)
{
	return !within->end || within->end(tracer);
}

static void in_child(void)
{
	if (within->fork)
		within->fork();
}

static const struct wcm_sink aside = {
	.begin = begin, .enter = enter, .leave = leave, .leave_stack = leave_stack,
	.end = end, .fork = in_child,
};

const struct wcm_sink *wcm__aside_sink(const struct wcm_sink *sink)
{
	within = sink;
	return &aside;
}
