/* SPDX-License-Identifier: MIT */
/* find_agent.h - calls the agent of a running process, and is connected to. */
#ifndef WCM_TOOL_FIND_AGENT_H
#define WCM_TOOL_FIND_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/* Read PID, the number of a process. */
bool agent_read_pid(const char *text, long *pid);

/* A socket that leads to the agent of PID; -1, after a line on stderr. */
int agent_connect(long pid);

/* Milliseconds, of a clock that goes on. */
int64_t agent_clock(void);

/* As poll(2) of FD, which PID is to write to: 0, after a line on stderr, where it takes too
 * long, SINCE a time of that clock, or will, since the process is stopped; negative where nobody is
 * at the other end of ROPE any more, unless that is -1. */
int agent_await(long pid, int fd, int rope, int64_t since);

/* The user whom PID belongs to; -1: it is not known. */
long agent_user(long pid);

/* Whether a path is the same file for PID as for this process.  False, after a line on stderr,
 * where it has another root directory, or file systems of its own. */
bool agent_shares_files(long pid);

#endif
