/* SPDX-License-Identifier: MIT */
/* called.c (SAFE) - knows the faults that handlers of the program's are called for, and whether
 * these still run.
 *
 * A handler may return, jump away for good, or end the process.  So nothing is kept of a call but
 * what lies in the frame that makes it: a stack that leads through that frame shows that the
 * handler still runs, and costs nothing until somebody asks.
 */
#include "crash/signals/called.h"

#include <stddef.h>

#include "core/os/read.h"
#include "core/os/self.h"

/* With its own address, a record is told from what else lies in a frame. */
static const uint64_t called_word = UINT64_C(0x9d1fca7ed4a0d1e5);
static bool ever;

void wcm__called_begin(struct wcm_called *called, siginfo_t *info, void *ucontext,
		       bool is_reported)
{
	called->process = wcm__process_id();
	called->is_reported = is_reported;
	called->info = info;
	called->ucontext = ucontext;
	called->mark = called_word ^ (uintptr_t)called;
	if (!wcm__called_ever())
		__atomic_store_n(&ever, true, __ATOMIC_RELAXED);
}

bool wcm__called_end(struct wcm_called *called)
{
	called->mark = 0;
	return called->is_reported;
}

bool wcm__called_ever(void)
{
	return __atomic_load_n(&ever, __ATOMIC_RELAXED);
}

/* By its size at most, which is not known: a mark is looked for as well. */
static bool is_of(uintptr_t caller, const struct wcm_frame *frame)
{
	enum { MOST_CODE = 1024 };

	return wcm_frame_site(frame) - caller < MOST_CODE;
}

/* The record in the frame from LO to HI. */
static struct wcm_called *record_in(uintptr_t lo, uintptr_t hi)
{
	enum { LARGEST_FRAME = 4096, STEP = _Alignof(struct wcm_called) };
	struct wcm_called seen;

	if (hi <= lo || hi - lo > LARGEST_FRAME)
		return NULL;
	for (uintptr_t at = lo & -(uintptr_t)STEP; at + sizeof(seen) <= hi; at += STEP)
		if (wcm__read_memory(at, &seen, sizeof(seen)) && seen.mark == (called_word ^ at))
			return seen.process == wcm__process_id() ? (struct wcm_called *)at : NULL;
	return NULL;
}

struct wcm_called *wcm__called_around(struct wcm_walk *walk, uintptr_t caller)
{
	enum { DEEPEST = 512 };
	struct wcm_called *found = NULL;

	for (int i = 0; i < DEEPEST && walk->stop == WCM_STOP_NONE; i++) {
		const uintptr_t lo = walk->regs.sp;
		const bool is_ours = is_of(caller, &walk->frame);
		struct wcm_called *called;

		wcm__walk_next(walk);
		called = is_ours ? record_in(lo, walk->regs.sp) : NULL;
		if (called)
			found = called;
	}
	return found;
}
