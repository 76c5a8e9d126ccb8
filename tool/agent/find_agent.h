/* SPDX-License-Identifier: MIT */
/* find_agent.h - calls the agent of a running process, and is connected to. */
#ifndef WCM_TOOL_FIND_AGENT_H
#define WCM_TOOL_FIND_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/* Read PID, the number of a process. */
bool agent_read_pid(const char *text, long *pid);

struct wcm_agent_ring;

/* A socket that leads to the agent of PID, which was called by RING; -1, after a line on stderr. */
int agent_connect(long pid, struct wcm_agent_ring *ring);

/* Ring at its bell once more, as it asks for at each request.  False, after a line on stderr, where
 * the kernel does not let this user any more, or there is no bell. */
bool agent_ring(long pid, const struct wcm_agent_ring *ring);

/* As poll(2) of FD, which PID is to write to, ringing now and then: 0, after a line on stderr,
 * where it takes too long, SINCE a time of the clock below, or will, since the process is stopped;
 * negative where agent_ring() fails. */
int agent_await(long pid, int fd, const struct wcm_agent_ring *ring, int64_t since);

/* Milliseconds, of a clock that goes on. */
int64_t agent_clock(void);

/* The user whom PID belongs to; -1: it is not known. */
long agent_user(long pid);

/* Whether a path is the same file for PID as for this process.  False, after a line on stderr,
 * where it has another root directory, or file systems of its own. */
bool agent_shares_files(long pid);

#endif
