/* SPDX-License-Identifier: MIT */
/* find_agent.h - connects to the agent of a running process. */
#ifndef WCM_TOOL_FIND_AGENT_H
#define WCM_TOOL_FIND_AGENT_H

#include <stdbool.h>

/* Read PID, the number of a process. */
bool agent_read_pid(const char *text, long *pid);

/* A socket that leads to the agent of PID, a process of this user; -1, after a line on
 * stderr. */
int agent_connect(long pid);

/* Whether a path is the same file for PID as for this process.  False, after a line on stderr,
 * where it has another root directory, or file systems of its own. */
bool agent_shares_files(long pid);

#endif
