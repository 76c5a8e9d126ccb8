/* SPDX-License-Identifier: MIT */
/* task_list.h - which tasks does the file `info` name? */
#ifndef WCM_HOOK_TASK_LIST_H
#define WCM_HOOK_TASK_LIST_H

/* Add TID to the list, unless it is there.  Under the lock of task.txt. */
void wcm__task_list_add(int tid);

#endif
