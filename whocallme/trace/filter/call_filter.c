/* SPDX-License-Identifier: MIT */
/* filter.c - which calls does a sink get to know of?
 *
 * What is hidden keeps its place in the shadow stack, for the frames of the others are
 * told by it, but has no depth.  A call that may be too short is held back: its sink
 * hears of it when it has lasted, before anything that comes later, and else never.
 */
#include "hook/filter.h"

#include <string.h>
#include <sys/prctl.h>

#include "arch/arch.h"
#include "hook/gate.h"
#include "hook/glob.h"
#include "hook/shadow.h"
#include "hook/sink.h"
#include "hook/ticks.h"
#include "hook/verdict.h"
#include "report/format.h"
#include "syscall.h"

enum {
	NAME_ROOM = 32,
	FIRST_LOOKS = 256, /* events: a new thread is given its name soon */
	EVERY_LOOK = 1024,
};

#define BETWEEN_LOOKS ((uint64_t)1000 * 1000) /* nanoseconds */

uint64_t wcm__filter_seen[WCM_LISTS];

static bool is_time_to_look(struct wcm_tracer *tracer, uint64_t now)
{
	const uint32_t looks = tracer->looks++;

	if (looks < FIRST_LOOKS)
		return true;
	return now ? now >= tracer->look_at : looks % EVERY_LOOK == 0;
}

/* Whether the thread, as it is called now, is one of those wanted. */
static bool is_wanted(const struct wcm_filter *filter, struct wcm_tracer *tracer,
		      uint64_t now)
{
	uint64_t *seen = &wcm__filter_seen[WCM_LIST_THREADS];
	char name[NAME_ROOM] = "", number[NAME_ROOM];
	size_t digits;

	if (!filter->threads)
		return true;
	if (!is_time_to_look(tracer, now))
		return tracer->is_wanted;
	tracer->look_at = now + BETWEEN_LOOKS;
	digits = wcm__format_decimal(number, tracer->tid);
	wcm__syscall(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
	tracer->is_wanted = wcm__globs_note(filter->threads, number, digits, seen);
	tracer->is_wanted |=
		wcm__globs_note(filter->threads, name, strlen(name), seen);
	return tracer->is_wanted;
}

/* The call that CALL, of the stack in use, is made by, or that it has interrupted. */
static const struct wcm_call *caller_of(const struct wcm_tracer *tracer,
					const struct wcm_call *call)
{
	const struct wcm_shadow *shadow = tracer->shadow;

	if (call > shadow->call)
		return call - 1;
	shadow = shadow->alternate ? shadow->next : NULL;
	return shadow && shadow->depth > 0 ? &shadow->call[shadow->depth - 1] :
					     NULL;
}

/* The flags of a call of FUNC, by the lists, in a call with the flags INHERITED. */
static uint32_t flags_by_name(const struct wcm_filter *filter, uintptr_t func,
			      uint32_t inherited)
{
	uint32_t flags = inherited & (WCM_CALL_KEEPS | WCM_CALL_HIDES);
	uint32_t verdict;

	if (flags & WCM_CALL_HIDES)
		return flags | WCM_CALL_HIDDEN;
	verdict = wcm__verdict_find(filter, func);
	if (verdict & WCM_VERDICT_DROP)
		return flags | WCM_CALL_HIDDEN |
		       (filter->hides_callees ? WCM_CALL_HIDES : 0);
	if (verdict & WCM_VERDICT_KEEP)
		return flags | (filter->keeps && filter->keeps_callees ?
					WCM_CALL_KEEPS : 0);
	return flags & WCM_CALL_KEEPS ? flags : flags | WCM_CALL_HIDDEN;
}

static void show(struct wcm_tracer *tracer, struct wcm_call *call)
{
	call->flags &= (uint8_t)~WCM_CALL_HELD;
	tracer->calls++;
	tracer->sink->enter(tracer, call, wcm__shadow_depth(tracer, call));
}

/* Show those of the first COUNT calls of the stack in use that are held back, up to
 * one that has begun after BEGUN. */
static void show_begun(struct wcm_tracer *tracer, uint32_t count, uint64_t begun)
{
	struct wcm_shadow *shadow = tracer->shadow;
	uint32_t i = shadow->held < count ? shadow->held : count;

	for (; i < count && shadow->call[i].begin <= begun; i++)
		if (shadow->call[i].flags & WCM_CALL_HELD)
			show(tracer, &shadow->call[i]);
	shadow->held = i;
}

static uint64_t before(uint64_t now, uint64_t ns)
{
	return now > ns ? now - ns : 0;
}

bool wcm__filter_admits(const struct wcm_filter *filter, struct wcm_tracer *tracer,
			struct wcm_call *call, uint64_t now)
{
	const struct wcm_call *caller = caller_of(tracer, call);
	uint32_t flags = flags_by_name(filter, call->func,
				       caller ? caller->flags : 0);

	if (filter->min_ns > 0)
		show_begun(tracer, (uint32_t)(call - tracer->shadow->call),
			   before(now, filter->min_ns));
	if ((filter->depth > 0 &&
	     wcm__shadow_depth(tracer, call) >= filter->depth) ||
	    !is_wanted(filter, tracer, now))
		flags |= WCM_CALL_HIDDEN;
	if (!(flags & WCM_CALL_HIDDEN) && filter->min_ns > 0)
		flags |= WCM_CALL_HELD;
	call->flags |= (uint8_t)flags;
	return !(flags & (WCM_CALL_HIDDEN | WCM_CALL_HELD));
}

bool wcm__filter_admits_end(const struct wcm_filter *filter,
			    struct wcm_tracer *tracer, struct wcm_call *call,
			    uint64_t now)
{
	if (now - call->begin < filter->min_ns)
		return false;
	show_begun(tracer, (uint32_t)(call - tracer->shadow->call) + 1,
		   call->begin);
	return true;
}

void wcm__filter_leaves_stack(struct wcm_tracer *tracer)
{
	if (tracer->shadow && tracer->shadow->depth > 0)
		show_begun(tracer, tracer->shadow->depth, UINT64_MAX);
}

__attribute__((noinline)) void wcm__filter_show_open(void)
{
	const struct wcm_filter *filter = wcm__gate.filter;
	const struct wcm_regs at = WCM_ARCH_CALLER();
	struct wcm_tracer *tracer = wcm__tracer_own;

	if (!filter || filter->min_ns == 0 || !tracer || tracer->inside ||
	    tracer->generation != filter->generation ||
	    !wcm__tracer_enter(tracer, &at))
		return;
	show_begun(tracer, tracer->shadow->depth,
		   before(wcm__ticks_ns(), filter->min_ns));
	wcm__tracer_leave(tracer);
}

void wcm__filter_fork(struct wcm_tracer *tracer)
{
	for (struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		for (uint32_t i = 0; i < shadow->depth; i++)
			shadow->call[i].flags &= (uint8_t)~WCM_CALL_HELD;
}
