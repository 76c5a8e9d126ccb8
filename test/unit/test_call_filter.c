/* SPDX-License-Identifier: MIT */
/* test_call_filter.c - what a sink is told of through a filter, on a stack that is made
 * up as in test_shadow.c. */
#include "trace/filter/call_filter.h"

#include "support/check.h"
#include "trace/engine/shadow.h"

enum { TOP = 0x10000000, CODE = 0x100, FRAME = 64, SHORT = 10 };

static char told[256];

static void tell(char what, const struct wcm_call *call, uint32_t depth)
{
	char text[16];

	snprintf(text, sizeof(text), "%c%c%u ", what, (int)call->func, depth);
	if (strlen(told) + strlen(text) < sizeof(told))
		strcat(told, text);
}

static void sink_enter(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth)
{
	(void)tracer;
	tell('+', call, depth);
}

static void sink_leave(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
		       uint64_t now, enum wcm_end end)
{
	(void)tracer, (void)now, (void)end;
	tell('-', call, depth);
}

static const struct wcm_sink sink = { .enter = sink_enter, .leave = sink_leave };

static struct wcm_filter filter;
static struct wcm_tracer tracer;
static struct wcm_shadow shadow;
static struct wcm_call calls[8];

static void begin(const struct wcm_filter *wanted)
{
	told[0] = '\0';
	filter = *wanted;
	shadow = (struct wcm_shadow){ .lo = TOP - 0x10000, .hi = TOP,
				      .room = 8, .call = calls };
	memset(&tracer, 0, offsetof(struct wcm_tracer, stack)); /* valgrind takes that for free */
	tracer.sink = wcm__filter_wrap(&filter, &sink);
	tracer.shadow = tracer.shadows = &shadow;
}

static struct wcm_event event(char func, unsigned frames, uint64_t now)
{
	return (struct wcm_event){
		.func = (uintptr_t)func, .site = CODE,
		.at = { .pc = CODE + (uintptr_t)func,
			.sp = TOP - frames * (uintptr_t)FRAME },
		.now = now,
	};
}

/* As trace/hooks/cyg.c does. */
static void enter(char func, unsigned frames, uint64_t now)
{
	const struct wcm_event is = event(func, frames, now);
	struct wcm_call *call = wcm__shadow_enter(&tracer, &is);

	tracer.calls++;
	tracer.sink->enter(&tracer, call, wcm__shadow_depth(&shadow, call));
}

static void leave(char func, unsigned frames, uint64_t now)
{
	const struct wcm_event is = event(func, frames, now);

	CHECK(wcm__shadow_leave(&tracer, &is));
}

TEST(what_is_deep_is_hidden)
{
	begin(&(struct wcm_filter){ .depth = 1 });
	enter('a', 1, 1);
	enter('b', 2, 2);
	leave('b', 2, 3);
	leave('a', 1, 4);
	CHECK_STR(told, "+a0 -a0 ");
	CHECK_EQ(tracer.calls, 1);
}

TEST(what_does_not_last_is_never_told)
{
	begin(&(struct wcm_filter){ .min_ns = SHORT });
	enter('a', 1, 100);
	enter('b', 2, 101);
	leave('b', 2, 100 + SHORT);
	CHECK_STR(told, "");
	leave('a', 1, 100 + SHORT);
	CHECK_STR(told, "+a0 -a0 ");
	CHECK_EQ(tracer.calls, 1);
	CHECK_EQ(calls[0].inner, 0); /* b's time is a's own */
}

TEST(what_has_lasted_is_told_before_what_comes_next)
{
	begin(&(struct wcm_filter){ .min_ns = SHORT });
	enter('a', 1, 100);
	enter('b', 2, 100 + SHORT);
	CHECK_STR(told, "+a0 ");
	leave('b', 2, 100 + 2 * SHORT);
	CHECK_STR(told, "+a0 +b1 -b1 ");
	CHECK_EQ(calls[0].inner, SHORT);
	CHECK_EQ(tracer.calls, 2);
}

TEST(a_stack_that_is_left_is_told_of)
{
	begin(&(struct wcm_filter){ .min_ns = SHORT });
	enter('a', 1, 100);
	tracer.sink->leave_stack(&tracer);
	CHECK_STR(told, "+a0 ");
	leave('a', 1, 101);
	CHECK_STR(told, "+a0 -a0 ");
}

/* As the first event of a child does. */
static void be_forked(void)
{
	wcm__gate.sink = tracer.sink;
	wcm__tracer_own = &tracer;
	tracer.sink->fork();
	wcm__tracer_own = NULL;
}

TEST(a_child_does_not_tell_of_what_its_parent_holds)
{
	begin(&(struct wcm_filter){ .min_ns = SHORT });
	enter('a', 1, 100);
	be_forked();
	enter('b', 2, 200);
	CHECK_STR(told, "");
	leave('b', 2, 300);
	CHECK_STR(told, "+b1 -b1 ");
}

RUN(what_is_deep_is_hidden, what_does_not_last_is_never_told,
    what_has_lasted_is_told_before_what_comes_next, a_stack_that_is_left_is_told_of,
    a_child_does_not_tell_of_what_its_parent_holds)
