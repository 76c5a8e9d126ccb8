/* SPDX-License-Identifier: MIT */
/* source_lines.h (SAFE) - adds the source lines of a report's frames, below each frame or behind
 * the report.
 */
#ifndef WCM_REPORT_SOURCE_LINES_H
#define WCM_REPORT_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/report/demangle.h"
#include "core/unwind/walk.h"
#include "lines/resolver.h"

/* There is a crash, whose reports have lines by PLAN. */
void wcm__source_lines_prepare(const struct wcm_resolver_plan *plan);

/* A report begins: forget all frames; TID is the thread that crashed.  NAMES says how functions
 * without lines are named.  After PATIENCE (of wcm__clock_ns()) the report waits for no line. */
void wcm__source_lines_begin(int tid, enum wcm_names names, uint64_t patience);

/* The frame PLACED of the stack of thread TID, of which FACT is known, is written: write its
 * lines to FD, below it, or remember it for lines behind the report; what does not fit is
 * without. */
void wcm__source_lines_frame(int fd, bool colours, const struct wcm_placed *placed,
			     const struct wcm_frame_fact *fact, int tid);

/* Where lines go. */
struct wcm_lines_output {
	int fd;
	bool colours;
};

enum { WCM_LINES_OUTPUTS = 2 }; /* the file, the descriptor */

/* Reports are written: write the lines that came too late for them to each of the COUNT
 * descriptors of OUTPUTS by DEADLINE; or one line that says why there are none. */
void wcm__source_lines_write(const struct wcm_lines_output *outputs, int count,
			     uint64_t deadline);

#endif
