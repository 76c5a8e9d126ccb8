/* SPDX-License-Identifier: MIT */
/* recording_open.h - who takes part in a recording? */
#ifndef WCM_TOOL_RECORDING_OPEN_H
#define WCM_TOOL_RECORDING_OPEN_H

#include "recording.h"

/* Read file "info".  False, after a line on stderr, where the recording is of a kind
 * that cannot be read. */
bool recording_read_info(struct recording *recording);

/* Read the sessions and tasks of task.txt; those that it does not name are found by
 * their files. */
void recording_read_tasks(struct recording *recording);

#endif
