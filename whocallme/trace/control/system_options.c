/* SPDX-License-Identifier: MIT */
/* system_options.c - has system calls be traced, as a trace's options ask for. */
#include "trace/control/system_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/line.h"
#include "trace/control/filter_options.h"
#include "trace/names/system_slots.h"
#include "trace/probe/trace_stderr.h"
#include "trace/source/system/system_calls.h"
#include "trace/stop/process_end.h"

static void complain_of_thread(struct wcm_line *line, int tid)
{
	wcm__line_text(line, "the system calls of ");
	if (tid != 0) {
		wcm__line_text(line, "thread ");
		wcm__line_decimal(line, tid);
	} else {
		wcm__line_text(line, "other threads");
	}
	wcm__line_text(line, " are not traced: it cannot be asked");
}

static void complain(long error, int tid)
{
	struct wcm_line line;

	wcm__line_init(&line, wcm__trace_stderr());
	wcm__line_text(&line, "<whocallme>: ");
	switch (error) {
	case -ESRCH:
		complain_of_thread(&line, tid);
		break;
	case -ENOSYS:
		wcm__line_text(&line, "system calls are not traced: this CPU's are not known");
		break;
	case -EINVAL:
		wcm__line_text(&line, "system calls are not traced: the kernel dispatches none; "
				      "Linux 5.11 and later do");
		break;
	default:
		wcm__line_text(&line, "system calls are not traced: ");
		wcm__line_text(&line, strerror((int)-error));
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

void wcm__system_calls_name(const struct wcm_trace_options *options)
{
	if (options->system_calls)
		wcm__system_slots_name();
}

/* The list of a trace before is read by nobody any more. */
void wcm__system_calls_on_or_complain(const struct wcm_trace_options *options)
{
	static char *kept;
	const bool has_lines_alone =
		options->mode == WCM_TRACE_PAIRS || options->mode == WCM_TRACE_ADDRESSES;
	const char *asked = has_lines_alone ? NULL : options->system_calls;
	uint64_t seen;
	long error;
	int tid;

	wcm__system_calls_off();
	free(kept);
	kept = asked && *asked ? strdup(asked) : NULL;
	if (!kept)
		return;
	wcm__system_calls_at_end(wcm__process_end_finish, wcm__process_end_exec);
	error = wcm__system_calls_on(kept, &seen, &tid);
	if (error != 0 && error != -ENOENT)
		complain(error, tid);
	wcm__globs_tell_unseen("no system call", "system-calls", kept, seen);
}
