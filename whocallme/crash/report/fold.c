/* SPDX-License-Identifier: MIT */
/* fold.c (SAFE) - folds what repeats in a stack: a recursion's frames are listed once and counted.
 *
 * Frames come one by one, and of any number of them the latest are kept.  A frame repeats
 * another one if both have the same address, so that a run can be undone exactly.  A run
 * begins with a whole round that has come again, and saves at least two lines.
 */
#include "crash/report/fold.h"

#include <stdbool.h>
#include <string.h>

enum { LEAST = 3 }; /* frames of a run */

static struct wcm_placed *kept(struct wcm_fold *fold, size_t number)
{
	return &fold->kept[number % WCM_FOLD_KEPT];
}

static bool is_same(const struct wcm_placed *a, const struct wcm_placed *b)
{
	return a->frame.pc == b->frame.pc && a->frame.flags == b->frame.flags;
}

static void pass_up_to(struct wcm_fold *fold, size_t end)
{
	for (; fold->passed < end; fold->passed++)
		fold->frame(fold->data, kept(fold, fold->passed), fold->passed);
}

/* The frames of the latest round are kept, whichever of them comes first. */
static void end_run(struct wcm_fold *fold, size_t end)
{
	struct wcm_fold_run run = {
		.first = end - fold->folded, .count = fold->folded, .period = fold->period,
	};

	for (size_t number = end - run.period; number < end; number++)
		run.round[(number - run.first + run.period) % run.period] =
			*kept(fold, number);
	fold->period = 0;
	memset(fold->same, 0, sizeof(fold->same));
	fold->run(fold->data, &run);
}

static void begin_run(struct wcm_fold *fold, unsigned period)
{
	fold->period = period;
	fold->folded = fold->same[period];
	pass_up_to(fold, fold->count - fold->folded);
	fold->passed = fold->count;
}

/* Whether the latest frame goes on with a run. */
static bool is_folded(struct wcm_fold *fold, size_t number)
{
	if (fold->period == 0)
		return false;
	if (is_same(kept(fold, number), kept(fold, number - fold->period))) {
		fold->folded++;
		fold->passed = fold->count;
		return true;
	}
	end_run(fold, number);
	return false;
}

void wcm__fold_add(struct wcm_fold *fold, const struct wcm_placed *frame)
{
	const size_t number = fold->count++;

	*kept(fold, number) = *frame;
	if (is_folded(fold, number))
		return;
	for (unsigned period = 1; period <= WCM_FOLD_PERIOD; period++) {
		if (number >= period && is_same(frame, kept(fold, number - period)))
			fold->same[period]++;
		else
			fold->same[period] = 0;
		if (fold->same[period] >= LEAST && fold->same[period] >= period) {
			begin_run(fold, period);
			return;
		}
	}
	if (fold->count > WCM_FOLD_PERIOD)
		pass_up_to(fold, fold->count - WCM_FOLD_PERIOD);
}

void wcm__fold_end(struct wcm_fold *fold)
{
	if (fold->period != 0)
		end_run(fold, fold->count);
	pass_up_to(fold, fold->count);
}
