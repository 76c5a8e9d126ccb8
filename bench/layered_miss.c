/* SPDX-License-Identifier: MIT */
/* layered_miss.c - what a capture takes that is not the thousandth of its kind.
 *
 * The case "miss" is of stacks with call sites that were never captured; "module" of one
 * in a library that never was, by a call and in a signal's handler; "cold" of call sites
 * that are known, when the processor's caches hold something else.  A stack is taken
 * twice by the same leaf: what the first capture takes more is for what is new.
 */
#include "layered.h"

#include <signal.h>
#include <string.h>

#include <whocallme.h>

#include "clock.h"

enum { MOST_SAMPLES = 1000 };

static leaf_function *take;
static double clock_takes;
static double first_ns, again_ns; /* of the stack taken last */
static size_t frames_last, new_last;

/* Two call sites of its own, which every stack has. */
static void leaf_twice(void)
{
	static struct wcm_frame frames[MOST_FRAMES];
	double start = clock_ns(), middle, end;

	start = clock_ns();
	take();
	middle = clock_ns();
	take();
	end = clock_ns();
	first_ns = middle - start - clock_takes;
	again_ns = end - middle - clock_takes;
	frames_last = wcm_stack_capture(frames, MOST_FRAMES, 0, NULL);
	new_last = 0;
	for (size_t i = 0; i < frames_last; i++)
		new_last += note_site(frames[i].pc);
}

static void on_signal(int number)
{
	(void)number;
	leaf_twice();
}

static void leaf_raise(void)
{
	raise(SIGUSR1);
	frames_taken++;
}

static void prepare(const char *contender)
{
	static double sample[MOST_SAMPLES];

	take = find_taker(contender)->leaf;
	for (size_t i = 0; i < MOST_SAMPLES; i++) {
		double start = clock_ns();

		sample[i] = clock_ns() - start;
	}
	clock_takes = median(sample, MOST_SAMPLES);
}

/* Of stacks with many new call sites; one that was known takes what it does again. */
void case_miss(const struct programs *programs, const char *contender)
{
	enum { MANY = 8 };
	static double miss[MOST_SAMPLES], first[MOST_SAMPLES], again[MOST_SAMPLES];
	const double until = clock_ns() + 1e9;
	size_t count = 0;

	prepare(contender);
	programs->enter[0](state_of(programs, 0), leaf_twice);
	for (size_t i = 1; i < programs->stacks && count < MOST_SAMPLES; i++) {
		double known;

		if (clock_ns() > until)
			break;
		programs->enter[0](state_of(programs, i), leaf_twice);
		if (new_last < MANY)
			continue;
		known = again_ns * (double)(frames_last - new_last) / (double)frames_last;
		miss[count] = (first_ns - known) / (double)new_last;
		first[count] = first_ns / (double)frames_last;
		again[count++] = again_ns / (double)frames_last;
	}
	if (count == 0)
		give_up("no stack has new call sites");
	emit("stacks", (double)count);
	emit("miss_ns", median(miss, count));
	emit("first_ns", median(first, count));
	emit("again_ns", median(again, count));
}

/* What a capture takes by LEAF without any library's frame, all of it known. */
static double without_module(leaf_function *leaf)
{
	enum { TIMES = 101 };
	static double sample[TIMES];

	for (size_t i = 0; i < TIMES; i++) {
		leaf();
		sample[i] = again_ns;
	}
	return median(sample, TIMES);
}

/* Every other library is met in a handler.  What its frame takes is what the capture
 * takes more than one without it. */
void case_module(const struct programs *programs, const char *contender)
{
	static double sample[2][MOST_SAMPLES];
	double without[2];
	size_t count[2] = { 0 };

	prepare(contender);
	signal(SIGUSR1, on_signal);
	without[0] = without_module(leaf_raise);
	without[1] = without_module(leaf_twice);
	for (size_t i = 1; i < programs->count; i++) {
		programs->enter[i](1, i % 2 ? leaf_twice : leaf_raise);
		if (count[i % 2] < MOST_SAMPLES)
			sample[i % 2][count[i % 2]++] = first_ns - without[i % 2];
	}
	if (count[0] == 0)
		give_up("there are too few libraries");
	emit("call_ns", median(sample[1], count[1]));
	emit("handler_ns", median(sample[0], count[0]));
}

/* More than any cache of the processor holds, or much of it. */
static void touch_other_memory(void)
{
	enum { BYTES = 64 << 20, LINE = 64 };
	static volatile unsigned char *memory;

	if (!memory)
		memory = malloc(BYTES);
	if (!memory)
		give_up("memory is out");
	for (size_t i = 0; i < BYTES; i += LINE)
		memory[i]++;
}

void case_cold(const struct programs *programs, const char *contender)
{
	enum { CAPTURES = 60 };
	const struct timespec between = { .tv_nsec = 10000000 };
	static double first[CAPTURES], again[CAPTURES];
	size_t stacks = programs->stacks;

	prepare(contender);
	pass(programs, programs->enter[0], take, 0, &stacks);
	pass(programs, programs->enter[0], leaf_twice, 0, &stacks);
	for (size_t i = 0; i < CAPTURES; i++) {
		touch_other_memory();
		nanosleep(&between, NULL);
		programs->enter[0](state_of(programs, i * (stacks / CAPTURES)), leaf_twice);
		first[i] = first_ns / (double)frames_last;
		again[i] = again_ns / (double)frames_last;
	}
	emit("frame_ns", median(first, CAPTURES));
	emit("again_ns", median(again, CAPTURES));
}
