/* SPDX-License-Identifier: MIT */
/* test_shadow.c - which calls are open, on a stack that is made up: nothing
 * describes its code, so that a function's frame is taken to end at its own stack
 * pointer. */
#include <time.h>

#include "support/check.h"
#include "trace/engine/gate.h"
#include "trace/engine/shadow.h"
#include "trace/engine/sink.h"
#include "trace/engine/ticks.h"
#include "whocallme/trace.h"

enum { TOP = 0x10000000, CODE = 0x100, FRAME = 64 };

static char told[256];

static void leave(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth, uint64_t now, enum wcm_end end)
{
	char line[32];

	(void)tracer, (void)now;
	snprintf(line, sizeof(line), "%c%u%s ", (int)call->func, depth,
		 end == WCM_END_EXIT ? "" : "!");
	if (strlen(told) + strlen(line) < sizeof(told))
		strcat(told, line);
}

static const struct wcm_sink sink = { .leave = leave };

static struct wcm_tracer tracer;
static struct wcm_shadow shadow;
static struct wcm_call calls[8];

static void begin(void)
{
	told[0] = '\0';
	wcm__gate.sink = wcm__gate.roomy = &sink;
	shadow = (struct wcm_shadow){ .lo = TOP - 0x10000, .hi = TOP,
				      .room = 8, .call = calls };
	memset(&tracer, 0, offsetof(struct wcm_tracer, stack)); /* valgrind takes that for free */
	tracer.sink = &sink;
	tracer.shadow = tracer.shadows = &shadow;
}

/* FUNC stands FRAMES frames below the stack's top. */
static struct wcm_event event(char func, unsigned frames)
{
	return (struct wcm_event){
		.func = (uintptr_t)func, .site = CODE,
		.at = { .pc = CODE + (uintptr_t)func,
			.sp = TOP - frames * (uintptr_t)FRAME },
		.now = 1,
	};
}

static struct wcm_call *enter(char func, unsigned frames)
{
	const struct wcm_event now = event(func, frames);

	return wcm__shadow_enter(&tracer, &now);
}

static bool exit_of(char func, unsigned frames)
{
	const struct wcm_event now = event(func, frames);

	return wcm__shadow_leave(&tracer, &now);
}

TEST(calls_nest)
{
	begin();
	CHECK_EQ(wcm__shadow_depth(&shadow, enter('a', 1)), 0);
	CHECK_EQ(wcm__shadow_depth(&shadow, enter('b', 2)), 1);
	CHECK(exit_of('b', 2));
	CHECK_EQ(wcm__shadow_depth(&shadow, enter('c', 2)), 1);
	CHECK(exit_of('c', 2));
	CHECK(exit_of('a', 1));
	CHECK_STR(told, "b1 c1 a0 ");
	CHECK_EQ(tracer.deepest, 2);
	CHECK_EQ(tracer.most_stack, 2 * FRAME);
	CHECK_EQ(tracer.unwound, 0);
}

TEST(a_call_above_closes_those_below)
{
	begin();
	enter('a', 1);
	enter('b', 2);
	enter('c', 3);
	enter('d', 2);
	CHECK_STR(told, "c2! b1! ");
	CHECK_EQ(shadow.depth, 2);
	CHECK_EQ(tracer.unwound, 2);
}

TEST(an_exit_closes_what_it_called)
{
	begin();
	enter('a', 1);
	enter('b', 2);
	enter('c', 3);
	CHECK(exit_of('a', 1));
	CHECK_STR(told, "c2! b1! a0 ");
}

TEST(an_exit_is_of_its_own_frame)
{
	begin();
	enter('a', 1);
	enter('a', 2);
	enter('a', 3);
	CHECK(exit_of('a', 2)); /* the innermost was left by a jump */
	CHECK_STR(told, "a2! a1 ");
}

TEST(an_exit_without_a_call_is_nothing)
{
	begin();
	CHECK(!exit_of('a', 1));
	enter('a', 1);
	CHECK(!exit_of('b', 2));
	CHECK_EQ(shadow.depth, 1);
	CHECK_STR(told, "");
}

TEST(calls_beyond_the_room_have_their_exits)
{
	begin();
	for (unsigned i = 1; i <= 8; i++)
		CHECK(enter('a', i) != NULL);
	for (unsigned i = 9; i <= 12; i++)
		CHECK(enter('a', i) == NULL);
	CHECK_EQ(tracer.too_deep, 4);
	CHECK_EQ(tracer.deepest, 12);
	CHECK_EQ(tracer.most_stack, 12 * FRAME);
	for (unsigned i = 12; i > 0; i--)
		CHECK(exit_of('a', i));
	CHECK_STR(told, "a7 a6 a5 a4 a3 a2 a1 a0 ");
	CHECK_EQ(shadow.depth, 0);
}

TEST(room_grows)
{
	enum { DEEP = 1000 };

	begin();
	shadow.most = 1024;
	for (unsigned i = 1; i <= DEEP; i++)
		CHECK_EQ(wcm__shadow_depth(&shadow, enter('a', i)), i - 1);
	CHECK_EQ(tracer.too_deep, 0);
	CHECK_EQ(shadow.room, 1024);
	for (unsigned i = 0; i < DEEP; i++)
		CHECK_EQ(shadow.call[i].sp,
			 TOP - (i + 1) * FRAME + WCM_HOOK_ARGUMENTS);
	for (unsigned i = DEEP; i > 8; i--)
		CHECK(exit_of('a', i));
	told[0] = '\0';
	for (unsigned i = 8; i > 0; i--)
		CHECK(exit_of('a', i));
	CHECK_STR(told, "a7 a6 a5 a4 a3 a2 a1 a0 ");
}

/* The stack grows on below what is known of it. */
TEST(calls_beyond_the_room_are_on_the_same_stack)
{
	enum { DEEP = 4000 };

	begin();
	for (unsigned i = 1; i <= DEEP; i++)
		enter('a', i);
	CHECK(tracer.shadow == &shadow && !shadow.next);
	CHECK_EQ(shadow.dropped, DEEP - 8);
	for (unsigned i = DEEP; i > 0; i--)
		CHECK(exit_of('a', i));
	CHECK_STR(told, "a7 a6 a5 a4 a3 a2 a1 a0 ");
}

TEST(the_exit_of_another_stack_is_none_of_those_beyond_the_room)
{
	begin();
	for (unsigned i = 1; i <= 10; i++)
		enter('a', i);
	CHECK(!exit_of('b', 2000));
	CHECK_EQ(shadow.dropped, 2);
}

TEST(calls_of_a_stack_without_room_for_any_are_counted)
{
	begin();
	shadow.room = 0;
	shadow.call = NULL;
	for (unsigned i = 1; i <= 3; i++)
		enter('a', i);
	CHECK_EQ(shadow.dropped, 3);
	for (unsigned i = 3; i > 0; i--)
		CHECK(exit_of('a', i));
	CHECK_EQ(shadow.dropped, 0);
}

/* As where no memory was to be got for any stack. */
TEST(calls_on_no_stack_have_their_exits)
{
	struct wcm_shadow none = { .dropped = 2 };

	begin();
	tracer.shadow = &none;
	CHECK(exit_of('b', 2));
	CHECK(exit_of('a', 1));
	CHECK_EQ(none.dropped, 0);
	CHECK(!exit_of('a', 1));
}

TEST(what_is_open_at_the_end_is_closed)
{
	begin();
	enter('a', 1);
	enter('b', 2);
	wcm__shadow_close_all(&tracer, 1);
	CHECK_STR(told, "b1! a0! ");
}

TEST(time_in_calls_is_their_callers)
{
	struct wcm_event now = event('a', 1);

	begin();
	now.now = 10;
	wcm__shadow_enter(&tracer, &now);
	now = event('b', 2);
	now.now = 20;
	wcm__shadow_enter(&tracer, &now);
	now.now = 50;
	wcm__shadow_leave(&tracer, &now);
	CHECK_EQ(calls[0].inner, 30);
}

/* A filter's; what it takes itself is its caller's own. */
TEST(time_in_a_hidden_call_is_its_callers_own)
{
	static const uint64_t times[] = { 10, 20, 25, 40, 50 };
	struct wcm_event now;

	begin();
	for (unsigned i = 0; i < 3; i++) {
		now = event((char)('a' + i), i + 1);
		now.now = times[i];
		wcm__shadow_enter(&tracer, &now)->flags =
			i == 1 ? WCM_CALL_HIDDEN : 0;
	}
	for (unsigned i = 2; i > 0; i--) {
		now = event((char)('a' + i), i + 1);
		now.now = times[5 - i];
		wcm__shadow_leave(&tracer, &now);
	}
	CHECK_STR(told, "c1 ");
	CHECK_EQ(calls[0].inner, 15);
}

TEST(time_never_goes_back)
{
	uint64_t before = 0;

	wcm__ticks_prepare();
	for (int i = 0; i < 100000; i++) {
		const uint64_t now = wcm__ticks_ns();

		CHECK(now >= before);
		before = now;
	}
}

TEST(time_is_the_clock_s)
{
	struct timespec clock;
	uint64_t ns;

	wcm__ticks_prepare();
	clock_gettime(CLOCK_MONOTONIC, &clock);
	ns = (uint64_t)clock.tv_sec * 1000000000 + (uint64_t)clock.tv_nsec;
	CHECK(wcm__ticks_ns() + 1000000 > ns);
	CHECK(wcm__ticks_ns() < ns + 100000000);
}

TEST(the_counter_is_used_after_a_millisecond)
{
	const struct timespec while_measured = { .tv_nsec = 2000000 };
	struct timespec clock;
	uint64_t ns;

	wcm__ticks_prepare();
	nanosleep(&while_measured, NULL);
	wcm__ticks_ns();
	if (!wcm__arch_ticks_are_steady())
		SKIP("the counter is not steady");
	CHECK(wcm__ticks.until != 0);
	clock_gettime(CLOCK_MONOTONIC, &clock);
	ns = (uint64_t)clock.tv_sec * 1000000000 + (uint64_t)clock.tv_nsec;
	CHECK(wcm__ticks_ns() + 1000000 > ns);
	CHECK(wcm__ticks_ns() < ns + 100000000);
}

static uint64_t clock_ns(void)
{
	struct timespec clock;

	clock_gettime(CLOCK_MONOTONIC, &clock);
	return (uint64_t)clock.tv_sec * 1000000000 + (uint64_t)clock.tv_nsec;
}

/* How far the time is from the clock, at least, in nanoseconds. */
static uint64_t apart(void)
{
	const uint64_t before = clock_ns(), now = wcm__ticks_after(0), after = clock_ns();

	return now < before ? before - now : now > after ? now - after : 0;
}

static void wait_until_the_clock_is_asked(void)
{
	const struct timespec a_while = { .tv_nsec = 10000000 };
	uint64_t now;

	for (int i = 0; i < 300 && wcm__ticks_counted(0, &now); i++)
		nanosleep(&a_while, NULL);
}

TEST(what_is_measured_wrongly_is_measured_again)
{
	wcm__ticks_prepare();
	if (!wcm__arch_ticks_are_steady())
		SKIP("the counter is not steady");
	wait_until_the_clock_is_asked();
	wcm__ticks_after(0);
	wcm__ticks.rate += wcm__ticks.rate / 50;
	wait_until_the_clock_is_asked();
	wcm__ticks_after(0);
	CHECK(apart() < 10000);
}

TEST(a_counter_that_is_set_back_is_used_no_more)
{
	uint64_t now;

	wcm__ticks_prepare();
	if (!wcm__arch_ticks_are_steady())
		SKIP("the counter is not steady");
	wcm__ticks.counter = wcm__arch_ticks() + (UINT64_C(1) << 40);
	CHECK(!wcm__ticks_counted(0, &now));
	CHECK(apart() < 10000);
	CHECK_EQ(wcm__ticks.until, 0);
	CHECK(apart() < 10000);
}

RUN(calls_nest, a_call_above_closes_those_below, an_exit_closes_what_it_called,
    an_exit_is_of_its_own_frame, an_exit_without_a_call_is_nothing,
    calls_beyond_the_room_have_their_exits, room_grows,
    calls_beyond_the_room_are_on_the_same_stack,
    the_exit_of_another_stack_is_none_of_those_beyond_the_room,
    calls_of_a_stack_without_room_for_any_are_counted, calls_on_no_stack_have_their_exits,
    what_is_open_at_the_end_is_closed, time_in_calls_is_their_callers,
    time_in_a_hidden_call_is_its_callers_own,
    time_never_goes_back, time_is_the_clock_s, the_counter_is_used_after_a_millisecond,
    what_is_measured_wrongly_is_measured_again, a_counter_that_is_set_back_is_used_no_more)
