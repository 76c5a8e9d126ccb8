/* SPDX-License-Identifier: MIT */
/* test_fold.c - what is folded of a stack can be undone exactly. */
#include "crash/report/fold.h"

#include <stdlib.h>

#include "support/check.h"

enum { MOST = 4096 };

static struct wcm_placed given[MOST], undone[MOST];
static size_t undone_count, lines, runs;
static unsigned last_period;

static void take_frame(void *data, const struct wcm_placed *frame, size_t number)
{
	(void)data;
	CHECK_EQ(number, undone_count);
	undone[undone_count++] = *frame;
	lines++;
}

static void take_run(void *data, const struct wcm_fold_run *run)
{
	(void)data;
	CHECK_EQ(run->first, undone_count);
	CHECK(run->period >= 1 && run->period <= WCM_FOLD_PERIOD);
	CHECK(run->period <= undone_count && run->count >= 3);
	for (size_t i = 0; i < run->count; i++) {
		const struct wcm_placed *frame = &run->round[i % run->period];

		CHECK_EQ(frame->frame.pc, undone[undone_count - run->period].frame.pc);
		undone[undone_count++] = *frame;
	}
	last_period = run->period;
	lines++;
	runs++;
}

/* Fold the first COUNT of those given, and compare. */
static void fold(size_t count)
{
	struct wcm_fold fold = { .frame = take_frame, .run = take_run };

	undone_count = lines = runs = last_period = 0;
	for (size_t i = 0; i < count; i++)
		wcm__fold_add(&fold, &given[i]);
	wcm__fold_end(&fold);
	CHECK_EQ(undone_count, count);
	for (size_t i = 0; i < count; i++)
		CHECK(given[i].frame.pc == undone[i].frame.pc &&
		      given[i].frame.flags == undone[i].frame.flags);
}

/* Each letter of TEXT is a frame; it folds to so many LINES. */
static void folds_to(const char *text, size_t expected)
{
	const size_t count = strlen(text);

	for (size_t i = 0; i < count; i++)
		given[i] = (struct wcm_placed){ .frame.pc = (uintptr_t)text[i] };
	fold(count);
	CHECK_EQ(lines, expected);
}

TEST(what_repeats_is_one_line)
{
	folds_to("", 0);
	folds_to("abc", 3);
	folds_to("fff", 3);
	folds_to("ffff", 2);
	folds_to("xffffffffy", 4);
	folds_to("xababababy", 5);
	folds_to("xabababaqy", 6);
	folds_to("abcabcabc", 4);
	folds_to("ffffgggghhhh", 6);
	folds_to("xyz", 3);
}

TEST(other_flags_are_another_frame)
{
	for (size_t i = 0; i < 8; i++)
		given[i] = (struct wcm_placed){
			.frame = { 1, i % 2 ? WCM_FRAME_GUESSED : 0, 0 }
		};
	fold(8);
	CHECK_EQ(last_period, 2);
}

TEST(rounds_of_any_length_up_to_the_longest)
{
	for (size_t period = 1; period <= WCM_FOLD_PERIOD + 1; period++) {
		for (size_t i = 0; i < MOST; i++)
			given[i] = (struct wcm_placed){
				.frame.pc = i < 5 || i >= MOST - 5 ? 1000 + i : (i - 5) % period
			};
		fold(MOST);
		if (period > WCM_FOLD_PERIOD) {
			CHECK_EQ(runs, 0);
			continue;
		}
		CHECK_EQ(runs, 1);
		CHECK_EQ(last_period, period);
		CHECK_EQ(lines, 5 + period + 1 + 5);
	}
}

TEST(any_stack_is_undone)
{
	srandom(1);
	for (int round = 0; round < 3000; round++) {
		const size_t count = (size_t)random() % 300;
		const unsigned functions = 1 + (unsigned)random() % 4;

		for (size_t i = 0; i < count; i++)
			given[i] = (struct wcm_placed){
				.frame.pc = i > 20 && random() % 8
						    ? given[i - 1 - (size_t)round % 18].frame.pc
						    : (uintptr_t)random() % functions
			};
		fold(count);
	}
}

RUN(what_repeats_is_one_line, other_flags_are_another_frame,
    rounds_of_any_length_up_to_the_longest, any_stack_is_undone)
