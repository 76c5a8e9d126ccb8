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

/* trace_running.c: `whocallme trace -p`: a trace of a process that runs.  The environment has
 * what is asked for, as of a program that is run.  Each returns the exit status. */

/* The traces that follow are asked for with the list of prototypes that FD has; -1: without. */
void running_prototypes(int fd);

/* Trace PID, until it or the trace ends, or this command is interrupted.  Lines go to OUTPUT, a
 * pattern, which APPENDS says not to empty, or to stderr where that is NULL or empty. */
int running_lines(long pid, const char *output, bool appends);

/* The same where the process writes a file of its own, or a recording, which REPLACE says may take
 * the place of another one. */
int running_graph(long pid, const char *output);
int running_record(long pid, const char *output, bool replace);

/* Whether a graph could take the place of what is there as OUTPUT; a line says if not. */
bool running_is_file(const char *output);

/* Write the last calls of each thread of PID to stderr. */
int running_flight(long pid);

/* Have each thread of PID keep as many as CALLS says, decimal digits. */
int running_flight_start(long pid, char *calls);

/* End the trace of PID, or with FLIGHT that. */
int running_stop(long pid, bool flight);

#endif
