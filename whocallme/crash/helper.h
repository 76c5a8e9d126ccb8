/* SPDX-License-Identifier: MIT */
/* helper.h - the source lines of the stacks of a crash. */
#ifndef WCM_CRASH_HELPER_H
#define WCM_CRASH_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines/resolver.h"
#include "whocallme/stack.h"

/* Remember FRAME, number NUMBER of the stack of thread TID, for lines; what does not
 * fit is without. */
void wcm__crash_helper_note(const struct wcm_frame *frame, size_t number, int tid);

/* Forget all frames. */
void wcm__crash_helper_begin(void);

/* Write the lines of what was noted to each of the COUNT descriptors FDS (the file's
 * and the report's), COLOURS where the last one is a terminal, by DEADLINE; or one
 * line that says why there are none. */
void wcm__crash_helper_write(const struct wcm_resolver_plan *plan, const int *fds,
			     int count, bool colours, uint64_t deadline);

#endif
