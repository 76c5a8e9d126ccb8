/* SPDX-License-Identifier: MIT */
/* ask.h - a request to the agent of a running process, and its answer. */
#ifndef WCM_TOOL_ASK_H
#define WCM_TOOL_ASK_H

#include <stdbool.h>
#include <stddef.h>

struct agent_answer {
	int socket; /* that was asked; the trace ends when it is closed */
	int output; /* the end of a pipe to read, or -1 */
};

/* Ask the agent of PID for WORDS, up to a NULL, and hand FILES over, up to a -1, or none where that
 * is NULL.  False, after a line on stderr, where there is no agent, or it refuses: both descriptors
 * of ANSWER are -1 then. */
bool agent_ask(long pid, char *const words[], const int *files, struct agent_answer *answer);

void agent_leave(struct agent_answer *answer);

/* How much of the output is taken. */
struct agent_bound {
	size_t bytes;
	int seconds;
};

/* Copy the file FROM to TO, escaped.  False, after a line on stderr, where it has more than MOST
 * bytes, or TO does not take them. */
bool agent_copy(int from, int to, size_t most);

/* Copy the output to FD, escaped, until there is no more, because the trace or the process has
 * ended.  SIGINT, SIGTERM and SIGHUP end the trace, and what is left of the output follows; a
 * second one ends this process.  False, after a line on stderr, where FD does not take it, or it is
 * beyond BOUND, unless that is NULL. */
bool agent_follow(long pid, const struct agent_answer *answer, int fd,
		  const struct agent_bound *bound);

#endif
