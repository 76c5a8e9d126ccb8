/* SPDX-License-Identifier: MIT */
/* trace_start.h - starts and ends traces that others than the program ask for. */
#ifndef WCM_CONTROL_TRACE_START_H
#define WCM_CONTROL_TRACE_START_H

#include <stdbool.h>
#include <stdint.h>

#include "whocallme/trace.h"

/* As wcm_trace_start(), where the environment or an argument asks for it: programs that this one
 * runs, and that are traced, count their times from the same moment. */
enum wcm_status wcm__trace_start_asked(const struct wcm_trace_options *options);

/* *MODE is the one called NAME, as WHOCALLME_TRACE has it.  False: there is none. */
bool wcm__trace_mode(const char *name, uint32_t *mode);

/* Stop the trace GENERATION, and finish what it writes, unless another has taken its place or
 * it is finished.  What of its filter matched nothing is said. */
void wcm__trace_end(uint32_t generation);

/* In a child of fork(2), while it has one thread: the trace GENERATION is its parent's, who
 * finishes it.  The child's code is put back. */
void wcm__trace_abandon(uint32_t generation);

/* value_options.c: has what calls are given be known, as a trace's options ask for. */

/* Before library calls are switched on. */
void wcm__values_ask(const struct wcm_trace_options *options);

/* Whether any is asked for that can be had. */
bool wcm__values_are_asked(void);

/* Once they are on: where none can be had, a line on stderr says why. */
void wcm__values_complain(void);

/* foreign_hooks.c: says which modules call hooks that are not this library's. */

/* A line each, of the modules that are loaded now. */
void wcm__foreign_hooks_tell(void);

/* request.c: starts a trace that a client of the agent asks for. */

struct wcm_brought;

/* Start what SETTINGS, the variables of `whocallme trace` as entries NAME=VALUE up to a NULL,
 * ask for: lines go to FD, a graph and a recording to what is BROUGHT.  Returns the trace's
 * generation, or 0 with a reason in *WHY, NULL where a line has been written as all complaints
 * are. */
uint32_t wcm__trace_request(char *const settings[], int fd, const struct wcm_brought *brought,
			    const char **why);

#endif
