/* SPDX-License-Identifier: MIT */
/* stack_part.h (SAFE) - writes a stack as a part of a report: folded, and of a long one both
 * ends. */
#ifndef WCM_REPORT_STACK_PART_H
#define WCM_REPORT_STACK_PART_H

#include "crash/report/form.h"

/* Write the stack that begins at UCONTEXT, of thread TID, by DEADLINE.  False where that is too
 * late for all of it. */
bool wcm__stack_part_walk(struct wcm_writing *writing, const void *ucontext, int tid,
			  uint64_t deadline);

/* Write the stack that THREAD has captured. */
void wcm__stack_part_thread(struct wcm_writing *writing, const struct wcm_thread *thread);

#endif
