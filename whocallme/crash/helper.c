/* SPDX-License-Identifier: MIT */
/* helper.c - the source lines of the stacks of a crash. */
#include "crash/helper.h"

void wcm__crash_helper_note(const struct wcm_frame *frame, size_t number, int tid)
{
	(void)frame, (void)number, (void)tid;
}

void wcm__crash_helper_begin(void)
{
}

void wcm__crash_helper_write(const struct wcm_resolver_plan *plan, const int *fds,
			     int count, bool colours, uint64_t deadline)
{
	(void)plan, (void)fds, (void)count, (void)colours, (void)deadline;
}
