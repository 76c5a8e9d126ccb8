/* SPDX-License-Identifier: MIT */
/* tasks.h - which threads has this process, as /proc tells? */
#ifndef WCM_CRASH_TASKS_H
#define WCM_CRASH_TASKS_H

#include <stdbool.h>

enum { WCM_TASKS = 256 };

struct wcm_tasks {
	int count;
	int tid[WCM_TASKS]; /* ascending */
};

/* List the threads whose ids are above AFTER, the calling one left out; of many
 * the WCM_TASKS first.  False where /proc cannot be read, or is of another process
 * namespace. */
bool wcm__tasks_list(struct wcm_tasks *tasks, int after);

/* Whether thread TID would run a handler for SIGNAL: not one that sleeps with it
 * blocked, nor one that is in sigwait(3) for it.  True where that is not to be
 * known. */
bool wcm__task_takes(int tid, int signal);

#endif
