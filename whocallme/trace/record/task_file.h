/* SPDX-License-Identifier: MIT */
/* task_file.h (SAFE) - appends to task.txt: the tasks of a recording, and modules that come
 * later. */
#ifndef WCM_RECORD_TASK_FILE_H
#define WCM_RECORD_TASK_FILE_H

#include <stdint.h>

struct wcm_module;

/* A thread, or a forked process, has begun to record, DEPTH calls deep. */
void wcm__recording_add_task(int pid, int tid, uint64_t now, uint32_t depth);

/* Have the file `info` say how long the recording has taken, in all processes. */
void wcm__recording_note_elapsed(void);

/* The process CHILD, which has this one's memory, begins to record; nothing of that changes. */
void wcm__recording_add_child(int child, uint64_t now);

/* COUNT more calls have no end in the records. */
void wcm__recording_add_unended(uint64_t count);

/* MODULE has been loaded since the session began. */
void wcm__recording_add_module(uint64_t now, const struct wcm_module *module);

/* task_list.c: keeps the list of tasks in the file `info`, and how long the recording took. */

/* Add TID to the list, unless it is there.  Under the lock of task.txt. */
void wcm__task_list_add(int tid);

/* The recording has taken NS nanoseconds, or more, which a process that is still there says then.
 * Under the same lock. */
void wcm__task_list_note_elapsed(uint64_t ns);

#endif
