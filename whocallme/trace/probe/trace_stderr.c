/* SPDX-License-Identifier: MIT */
/* trace_stderr.c - finds the descriptor for a trace's complaints: stderr, while it is
 * what it was.
 *
 * A program may close stderr, and the next file that it opens gets the number.
 */
#include "trace/probe/trace_stderr.h"

#include <unistd.h>

#include "crash/files/descriptor.h"

static struct wcm_descriptor at_start; /* at first unknown */

void wcm__trace_stderr_note(void)
{
	wcm__descriptor_note(&at_start, STDERR_FILENO);
}

int wcm__trace_stderr(void)
{
	return at_start.fd == STDERR_FILENO &&
			       wcm__descriptor_is_another(&at_start)
		       ? -1
		       : STDERR_FILENO;
}
