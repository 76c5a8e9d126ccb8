/* SPDX-License-Identifier: MIT */
/* calls.h - pairs the entries and exits of a recording: callers, callees and durations.
 *
 * The events of a recording become calls that begin and end in pairs, task by task:
 * where one of the two was not recorded, it is supplied.
 */
#ifndef WCM_TOOL_CALLS_H
#define WCM_TOOL_CALLS_H

#include "recording/recording_data.h"

struct frame {
	const struct function *function;
	uint64_t start;   /* when it began, nanoseconds */
	uint64_t callees; /* nanoseconds spent in its callees */
	bool assumed;   /* its beginning was not recorded, as before a fork or where events were
			 * lost: START is that of the first event that shows it */
	bool recursive; /* the function was active already */
	struct data_place given; /* what the call was given */
	uint64_t end_data; /* where in the task's file the data of its end are; 0 unless its end is
			    * the task's next event */
	size_t mark;    /* the reader's own; 0 at first */
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
	struct frame *frame;  /* NULL for CALL_LOST; good until the next calls_next() */
	struct frame *caller; /* NULL for the outermost; for CALL_LOST the innermost that is open */
	unsigned depth;       /* FRAME's, 0 the outermost */
	uint64_t time;        /* now */
	uint64_t total, self; /* nanoseconds, of a call that ended */
	uint64_t lost;        /* events; 0: not known */
	struct data_place back; /* what it gave back, for CALL_LEAVE */
};

struct calls;

struct calls *calls_new(struct recording *recording);
void calls_free(struct calls *calls);

/* False at the end. */
bool calls_next(struct calls *calls, struct call *call);

/* Memory ran out: calls are missing. */
bool calls_failed(const struct calls *calls);

#endif
