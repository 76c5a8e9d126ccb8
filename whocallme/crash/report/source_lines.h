/* SPDX-License-Identifier: MIT */
/* source_lines.h - adds the source lines of a report's frames, once the report is written. */
#ifndef WCM_REPORT_SOURCE_LINES_H
#define WCM_REPORT_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/report/demangle.h"
#include "lines/resolver.h"
#include "whocallme/stack.h"

/* Forget all frames; TID is the thread that crashed.  NAMES says how functions without
 * lines are named. */
void wcm__source_lines_begin(int tid, enum wcm_names names);

/* Remember FRAME, number NUMBER of the stack of thread TID, for lines; what does not
 * fit is without. */
void wcm__source_lines_add(const struct wcm_frame *frame, size_t number, int tid);

/* Where lines go. */
struct wcm_lines_output {
	int fd;
	bool colours;
};

enum { WCM_LINES_OUTPUTS = 2 }; /* the file, the descriptor */

/* Write the lines of what was added to each of the COUNT descriptors of OUTPUTS by
 * DEADLINE; or one line that says why there are none. */
void wcm__source_lines_write(const struct wcm_resolver_plan *plan,
			     const struct wcm_lines_output *outputs, int count,
			     uint64_t deadline);

#endif
