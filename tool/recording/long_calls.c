/* SPDX-License-Identifier: MIT */
/* long_calls.c - leaves out the calls of a task that were too short to be shown.
 *
 * An entry is held until the call, or one within it, turns out to be long: then all
 * that are held are callers of a long call, so long themselves.  There are no more of
 * them than calls are deep.
 */
#include "recording/recording_data.h"

#include <stdlib.h>

#include "base/grow.h"

void long_calls_init(struct long_calls *calls, uint64_t least)
{
	*calls = (struct long_calls){ .least = least };
}

void long_calls_free(struct long_calls *calls)
{
	free(calls->held);
	calls->held = NULL;
}

static void release(struct long_calls *calls, const struct record *after)
{
	calls->released = true;
	calls->given = 0;
	calls->has_after = after;
	if (after)
		calls->after = *after;
}

static void hold(struct long_calls *calls, const struct record *record)
{
	struct record *more = grow(calls->held, calls->count, &calls->room,
				   sizeof(*more));

	calls->failed = !more;
	if (!more)
		return;
	calls->held = more;
	more[calls->count++] = *record;
}

/* Forget the entries from DEPTH on, which have ended by TIME; false if one of them was
 * long. */
static bool drop(struct long_calls *calls, unsigned depth, uint64_t time)
{
	while (calls->count && calls->held[calls->count - 1].depth >= depth) {
		if (time - calls->held[calls->count - 1].time >= calls->least)
			return false;
		calls->count--;
	}
	return true;
}

/* Take RECORD in; true if it is to be passed on now. */
static bool take(struct long_calls *calls, const struct record *record)
{
	size_t held = calls->count;

	switch (record->type) {
	case WCM_RECORD_ENTRY:
		if (!drop(calls, record->depth, record->time)) {
			release(calls, record);
			return false;
		}
		hold(calls, record);
		return false;
	case WCM_RECORD_EXIT:
		if (!drop(calls, record->depth, record->time)) {
			release(calls, record);
			return false;
		}
		/* Its entry was passed on before; or not recorded, and its callers go
		 * before it. */
		if (held == calls->count && held)
			release(calls, record);
		return held == 0;
	default:
		release(calls, record);
		return false;
	}
}

/* The next of those that are released; false when all are given. */
static bool give(struct long_calls *calls, struct record *record)
{
	if (calls->given < calls->count) {
		*record = calls->held[calls->given++];
		return true;
	}
	calls->released = false;
	calls->count = 0;
	return false;
}

bool long_calls_next(struct long_calls *calls, struct dat_file *file,
		     struct record *record)
{
	if (calls->least == 0)
		return dat_file_next(file, record);
	while (!calls->failed) {
		if (calls->released) {
			if (give(calls, record))
				return true;
			/* An entry that came after may be short. */
			if (calls->has_after && calls->after.type == WCM_RECORD_ENTRY)
				hold(calls, &calls->after);
			else if (calls->has_after) {
				*record = calls->after;
				return true;
			}
		}
		if (!dat_file_next(file, record)) {
			if (calls->count == 0)
				return false;
			release(calls, NULL);
		} else if (take(calls, record)) {
			return true;
		}
	}
	return false;
}
