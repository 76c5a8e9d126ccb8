/* SPDX-License-Identifier: MIT */
/* trace_start.h - what of a trace that a client of the agent has begun is not public. */
#ifndef WCM_CONTROL_TRACE_START_H
#define WCM_CONTROL_TRACE_START_H

#include <stdbool.h>
#include <stdint.h>

/* *MODE is the one called NAME, as WHOCALLME_TRACE has it.  False: there is none. */
bool wcm__trace_mode(const char *name, uint32_t *mode);

/* Stop the trace GENERATION, and finish what it writes, unless another has taken its place or
 * it is finished.  What of its filter matched nothing is said. */
void wcm__trace_end(uint32_t generation);

/* In a child of fork(2), while it has one thread: the trace GENERATION is its parent's, who
 * finishes it.  The child's code is put back. */
void wcm__trace_abandon(uint32_t generation);

#endif
