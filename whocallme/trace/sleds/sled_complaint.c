/* SPDX-License-Identifier: MIT */
/* sled_complaint.c - says why functions with sleds are not traced. */
#include "trace/sleds/sled_complaint.h"

#include "format/line.h"
#include "crash/files/report_file.h"
#include "trace/engine/trace_stderr.h"

static void begin(struct wcm_line *line, const char *path)
{
	wcm__line_begin(line, wcm__trace_stderr());
	wcm__line_text(line, "patchable functions ");
	if (path) {
		wcm__line_text(line, "of ");
		wcm__line_name(line, path);
		wcm__line_text(line, " ");
	}
	wcm__line_text(line, "are not traced: ");
}

/* The others of its module are traced. */
static void complain_of_list(size_t count, const char *path)
{
	struct wcm_line line;

	begin(&line, path);
	wcm__line_decimal(&line, (intmax_t)count);
	wcm__line_text(&line, " of the list, where by symbols and frame descriptions no function "
			      "begins\n");
	wcm__line_write(&line);
}

/* What is traced without them goes on being traced. */
static void complain(struct wcm_sleds_result result)
{
	static const char *const text[] = {
		[WCM_SLEDS_NO_MEMORY] = "there is no memory for the list of them",
		[WCM_SLEDS_NO_ROOM] = "no memory within 2 GiB is free for a jump; without a limit "
				      "of address space (ulimit -v) there may be",
		[WCM_SLEDS_NOT_HELD] = "a thread does not stop; trace from the start, by "
				       "whocallme trace",
		[WCM_SLEDS_NOT_WRITTEN] = "the process may not change its code (MDWE, seccomp, "
					  "SELinux); allow it, or build with "
					  "-finstrument-functions",
	};
	const char *reason = wcm__crash_file_reason(-result.error);
	struct wcm_line line;

	if (result.mislisted > 0)
		complain_of_list(result.mislisted, result.mislisting);
	if (result.failure == WCM_SLEDS_DONE)
		return;
	begin(&line, result.path);
	wcm__line_text(&line, text[result.failure]);
	if (result.tid) {
		wcm__line_text(&line, ": thread ");
		wcm__line_decimal(&line, result.tid);
	}
	if (reason) {
		wcm__line_text(&line, ": ");
		wcm__line_text(&line, reason);
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

void wcm__sleds_on_or_complain(enum wcm_sleds_wanted by)
{
	struct wcm_sleds_result result;

	wcm__sleds_tell_by(complain);
	result = wcm__sleds_on(by);
	complain(result);
}
