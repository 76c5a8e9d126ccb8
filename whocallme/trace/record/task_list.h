/* SPDX-License-Identifier: MIT */
/* task_list.h - keeps the list of tasks in the file `info`. */
#ifndef WCM_RECORD_TASK_LIST_H
#define WCM_RECORD_TASK_LIST_H

/* Add TID to the list, unless it is there.  Under the lock of task.txt. */
void wcm__task_list_add(int tid);

#endif
