/* SPDX-License-Identifier: MIT */
/* task_list.h (SAFE) - keeps the list of tasks in the file `info`, and how long the recording
 * took. */
#ifndef WCM_RECORD_TASK_LIST_H
#define WCM_RECORD_TASK_LIST_H

#include <stdint.h>

/* Add TID to the list, unless it is there.  Under the lock of task.txt. */
void wcm__task_list_add(int tid);

/* The recording has taken NS nanoseconds, or more, which a process that is still there says then.
 * Under the same lock. */
void wcm__task_list_note_elapsed(uint64_t ns);

#endif
