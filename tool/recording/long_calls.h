/* SPDX-License-Identifier: MIT */
/* long_calls.h - leaves out the calls of a task that were too short to be shown. */
#ifndef WCM_TOOL_LONG_CALLS_H
#define WCM_TOOL_LONG_CALLS_H

#include "recording/dat_file.h"

struct long_calls {
	uint64_t least;      /* nanoseconds; 0: all calls */
	struct record *held; /* entries of which it is not known yet */
	size_t count, given, room;
	bool released;       /* those held are long enough, as far as they go */
	struct record after; /* what released them */
	bool has_after;
	bool failed; /* memory was out, and the task's other calls are not passed on */
};

/* Pass on calls of LEAST nanoseconds or more. */
void long_calls_init(struct long_calls *calls, uint64_t least);
void long_calls_free(struct long_calls *calls);

/* dat_file_next() without the calls that were shorter. */
bool long_calls_next(struct long_calls *calls, struct dat_file *file,
		     struct record *record);

#endif
