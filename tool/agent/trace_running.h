/* SPDX-License-Identifier: MIT */
/* trace_running.h - `whocallme trace -p`: a trace of a process that runs.
 *
 * The environment has what is asked for, as of a program that is run.  Each returns the exit
 * status.
 */
#ifndef WCM_TOOL_TRACE_RUNNING_H
#define WCM_TOOL_TRACE_RUNNING_H

#include <stdbool.h>

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
