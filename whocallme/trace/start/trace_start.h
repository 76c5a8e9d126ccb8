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

#endif
