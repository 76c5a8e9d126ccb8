/* SPDX-License-Identifier: MIT */
/* sled_complaint.c - says why functions with sleds are not traced. */
#include "trace/control/sled_complaint.h"

#include <string.h>

#include "core/report/line.h"
#include "trace/probe/trace_stderr.h"

/* What is traced without them goes on being traced. */
void wcm__sleds_complain(struct wcm_sleds_result result)
{
	static const char *const text[] = {
		[WCM_SLEDS_NO_MEMORY] = "there is no memory for the list of them",
		[WCM_SLEDS_NO_ROOM] = "of a module, no memory within 2 GiB is free for a jump; "
				      "without a limit of address space (ulimit -v) there may be",
		[WCM_SLEDS_NOT_HELD] = "a thread does not stop; trace from the start, by "
				       "whocallme trace",
		[WCM_SLEDS_NOT_WRITTEN] = "the process may not change its code (MDWE, seccomp, "
					  "SELinux); allow it, or build with "
					  "-finstrument-functions",
	};
	struct wcm_line line;

	if (result.failure == WCM_SLEDS_DONE)
		return;
	wcm__line_init(&line, wcm__trace_stderr());
	wcm__line_text(&line, "<whocallme>: patchable functions are not traced: ");
	wcm__line_text(&line, text[result.failure]);
	if (result.tid) {
		wcm__line_text(&line, ": thread ");
		wcm__line_decimal(&line, result.tid);
	}
	if (result.error) {
		wcm__line_text(&line, ": ");
		wcm__line_text(&line, strerror(result.error));
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}
