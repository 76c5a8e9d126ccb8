/* SPDX-License-Identifier: MIT */
/* fold.h (SAFE) - folds what repeats in a stack: a recursion's frames are listed once and
 * counted. */
#ifndef WCM_REPORT_FOLD_H
#define WCM_REPORT_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "core/unwind/walk.h"

/* The longest round of calls that is recognised, and how many frames are kept: a round and
 * the frames that may turn out to repeat it. */
enum { WCM_FOLD_PERIOD = 16, WCM_FOLD_KEPT = 2 * WCM_FOLD_PERIOD };

/* COUNT frames from number FIRST on are those PERIOD numbers before, again and again: frame
 * FIRST + i is that of ROUND[i % PERIOD], flags and address. */
struct wcm_fold_run {
	size_t first, count;
	unsigned period;
	struct wcm_placed round[WCM_FOLD_PERIOD];
};

struct wcm_fold {
	/* What is passed on, in the order of the numbers: a frame, or a run of them. */
	void (*frame)(void *data, const struct wcm_placed *frame, size_t number);
	void (*run)(void *data, const struct wcm_fold_run *run);
	void *data;
	size_t count, passed; /* frames that have come, and that were passed on */
	size_t folded;        /* of the run that goes on */
	unsigned period;      /* of that run; 0: none goes on */
	size_t same[WCM_FOLD_PERIOD + 1]; /* latest frames that equal those so many before */
	struct wcm_placed kept[WCM_FOLD_KEPT];
};

/* FOLD's callbacks and DATA are set, all else is zero. */
void wcm__fold_add(struct wcm_fold *fold, const struct wcm_placed *frame);

/* There are no more frames: what is kept is passed on. */
void wcm__fold_end(struct wcm_fold *fold);

#endif
