/* SPDX-License-Identifier: MIT */
/* tasks.h (SAFE) - lists this process's threads, and tells which of them would answer, by
 * /proc.
 */
#ifndef WCM_THREADS_TASKS_H
#define WCM_THREADS_TASKS_H

#include <stdbool.h>
#include <stdint.h>

enum { WCM_TASKS = 256, WCM_THREAD_NAME = 16 };

struct wcm_tasks {
	int count;
	int tid[WCM_TASKS]; /* ascending */
};

/* List the threads whose ids are above AFTER, the calling one left out; of many
 * the WCM_TASKS first.  False where /proc cannot be read, or is of another process
 * namespace. */
bool wcm__tasks_list(struct wcm_tasks *tasks, int after);

/* The name of thread TID, empty where /proc does not tell it. */
void wcm__thread_name(int tid, char name[WCM_THREAD_NAME]);

/* Whether thread TID has ended, and the process has not been told yet. */
bool wcm__task_is_dead(int tid);

/* Whether ptrace(2) traces the calling thread, as far as /proc tells. */
bool wcm__task_is_traced(void);

/* Whether what traces it is gdb or gdbserver, by its name. */
bool wcm__task_is_in_gdb(void);

/* Note that the program asks the kernel for a seccomp filter, which may be refused. */
void wcm__task_asks_for_filter(void);

/* Whether the program has ever asked for one.  This makes no system call. */
bool wcm__task_has_asked_for_filter(void);

/* Whether a filter is in force for the calling thread after it asked, as far as /proc tells. */
bool wcm__task_has_own_filter(void);

/* The signals that have come to the process and that its first thread does not block, as far as
 * /proc tells. */
uint64_t wcm__task_first_awaits(void);

/* Whether thread TID would run a handler for SIGNAL: never, if it sleeps with it
 * blocked or is in sigwait(3) for it; perhaps, if it runs with it blocked, as libc
 * does for a moment while it starts a thread.  SURELY where that is not to be
 * known. */
enum wcm_task_answer { WCM_TASK_NEVER, WCM_TASK_PERHAPS, WCM_TASK_SURELY };
enum wcm_task_answer wcm__task_answers(int tid, int signal);

#endif
