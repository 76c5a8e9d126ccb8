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

/* Whether thread TID would run a handler for SIGNAL: never, if it sleeps with it
 * blocked or is in sigwait(3) for it; perhaps, if it runs with it blocked, as libc
 * does for a moment while it starts a thread.  SURELY where that is not to be
 * known. */
enum wcm_task_answer { WCM_TASK_NEVER, WCM_TASK_PERHAPS, WCM_TASK_SURELY };
enum wcm_task_answer wcm__task_answers(int tid, int signal);

#endif
