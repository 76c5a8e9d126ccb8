/* SPDX-License-Identifier: MIT */
/* recording_tasks.h - reads task.txt: the tasks and sessions of a recording. */
#ifndef WCM_TOOL_RECORDING_TASKS_H
#define WCM_TOOL_RECORDING_TASKS_H

#include "recording/recording_data.h"

/* Read the sessions and tasks of task.txt; those that it does not name are found by
 * their files. */
void recording_read_tasks(struct recording *recording);

#endif
