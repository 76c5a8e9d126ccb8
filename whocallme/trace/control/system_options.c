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
#include "trace/source/static/static_probes.h"
#include "trace/source/system/system_calls.h"
#include "trace/stop/process_end.h"
#include "trace/stop/readers.h"

static void complain_of_thread(struct wcm_line *line, const char *what, int tid)
{
	wcm__line_text(line, "the ");
	wcm__line_text(line, what);
	wcm__line_text(line, " of ");
	if (tid != 0) {
		wcm__line_text(line, "thread ");
		wcm__line_decimal(line, tid);
	} else {
		wcm__line_text(line, "other threads");
	}
	wcm__line_text(line, " are not traced: it cannot be asked");
}

/* WHAT is what is not traced. */
static void complain(long error, int tid, const char *what)
{
	struct wcm_line line;

	wcm__line_init(&line, wcm__trace_stderr());
	wcm__line_text(&line, "<whocallme>: ");
	switch (error) {
	case -ESRCH:
		complain_of_thread(&line, what, tid);
		break;
	case -ENOSYS:
		wcm__line_text(&line, what);
		wcm__line_text(&line, " are not traced: this CPU's are not known");
		break;
	case -EBUSY:
		wcm__line_text(&line, what);
		wcm__line_text(&line, " are not traced: ptrace(2) traces the process");
		break;
	case -EINVAL:
		wcm__line_text(&line, what);
		wcm__line_text(&line, " are not traced: the kernel dispatches no system calls; "
				      "Linux 5.11 and later do");
		break;
	default:
		wcm__line_text(&line, what);
		wcm__line_text(&line, " are not traced: ");
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

/* False: not in all threads. */
static bool turn_on(const char *globs, const char *what)
{
	uint64_t seen;
	int tid;
	const long error = wcm__system_calls_on(globs, &seen, &tid);

	if (error != 0 && error != -ENOENT)
		complain(error, tid, what);
	else if (globs)
		wcm__globs_tell_unseen("no system call", "system-calls", globs, seen);
	return error == 0;
}

/* The list of a trace before is read by nobody any more. */
bool wcm__system_calls_on_or_complain(const struct wcm_trace_options *options, bool has_probes)
{
	static char *kept;
	const bool has_lines_alone =
		options->mode == WCM_TRACE_PAIRS || options->mode == WCM_TRACE_ADDRESSES;
	const char *asked = has_lines_alone ? NULL : options->system_calls;

	wcm__system_calls_off();
	free(kept);
	kept = asked && *asked ? strdup(asked) : NULL;
	wcm__system_calls_at_end(wcm__process_end_finish, wcm__process_end_exec);
	wcm__system_calls_at_rights(wcm__readers_call, wcm__readers_look);
	wcm__static_probes_keep(has_probes);
	if (kept && turn_on(kept, "system calls"))
		return true;
	return has_probes && turn_on(NULL, "probes");
}
