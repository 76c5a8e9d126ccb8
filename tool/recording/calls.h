/* SPDX-License-Identifier: MIT */
/* calls.h - pairs the entries and exits of a recording: callers, callees and durations.
 *
 * The events of a recording become calls that begin and end in pairs, task by task:
 * each end has its beginning, whatever was not recorded.
 */
#ifndef WCM_TOOL_CALLS_H
#define WCM_TOOL_CALLS_H

#include "recording/recording_data.h"

struct frame {
	const struct function *function;
	uint64_t start, callees; /* nanoseconds: when it began; spent in its callees */
	bool assumed;   /* its beginning was not recorded: it lies before a fork, a loss or a
			 * longjmp */
	bool recursive; /* the function was active already */
	struct data_place given; /* what the call was given */
	uint64_t end_data; /* where in the task's file those of its end are, if that is the task's
			    * next event; or 0 */
	size_t mark;    /* for whoever reads the calls; 0 at first */
};

enum call_kind {
	CALL_ENTER,
	CALL_LEAVE, /* it returned */
	CALL_CUT,   /* it was left by a jump, an exception or an exec */
	CALL_OPEN,  /* it had not returned at the recording's end */
	CALL_LOST,  /* events are missing here */
};

struct call {
	enum call_kind kind;
	struct task *task;
	struct frame *frame;  /* NULL of CALL_LOST; lives until the next call */
	struct frame *caller; /* NULL of the outermost; of CALL_LOST the innermost that is open */
	unsigned depth;       /* of the frame, 0 the outermost */
	uint64_t time;        /* now */
	uint64_t total, self; /* of what ended: nanoseconds */
	uint64_t lost;        /* events; 0: not known */
	struct data_place back; /* what it gave back, of CALL_LEAVE */
};

struct calls;

struct calls *calls_new(struct recording *recording);
void calls_free(struct calls *calls);

/* False at the end. */
bool calls_next(struct calls *calls, struct call *call);

/* Memory was out; what came is not all. */
bool calls_failed(const struct calls *calls);

#endif
