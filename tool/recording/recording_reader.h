/* SPDX-License-Identifier: MIT */
/* recording_reader.h - opens a recording and gives the events of all its tasks by time. */
#ifndef WCM_TOOL_RECORDING_READER_H
#define WCM_TOOL_RECORDING_READER_H

#include "recording/recording_data.h"

struct recording_options {
	enum name_style style;
	const int *tids; /* of the tasks to read; NULL: all */
	size_t tid_count;
	uint64_t least; /* nanoseconds: shorter calls are left out */
	bool untimed;
};

/* Open the recording in DIR.  NULL where that cannot be read, after a line on
 * stderr; what is wrong with parts of it is said there and makes it damaged. */
struct recording *recording_open(const char *dir,
				 const struct recording_options *options);

/* The next event, by time.  False at the end, after a line on stderr for each task
 * whose file is damaged. */
bool recording_next(struct recording *recording, struct event *event);

void recording_close(struct recording *recording);

/* recording_tasks.c: reads task.txt: the tasks and sessions of a recording. */

/* Read the sessions and tasks of task.txt; those that it does not name are found by
 * their files. */
void recording_read_tasks(struct recording *recording);

#endif
