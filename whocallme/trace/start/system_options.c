/* SPDX-License-Identifier: MIT */
/* system_options.c - has system calls be traced, as a trace's options ask for. */
#include "trace/start/system_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/os/self.h"
#include "core/os/work_stack.h"
#include "core/report/line.h"
#include "format/glob.h"
#include "trace/filter/filter_options.h"
#include "trace/system/system_slots.h"
#include "trace/engine/gate.h"
#include "trace/engine/trace_stderr.h"
#include "trace/probes/static_probes.h"
#include "trace/system/system_calls.h"
#include "trace/process/process_end.h"
#include "trace/process/readers.h"

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

	wcm__line_begin(&line, wcm__trace_stderr());
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

static char *kept;     /* the list of the latest trace; NULL: none */
static uint64_t named; /* which globs of it have names */

/* False: not in all threads. */
static bool turn_on(const char *globs, const char *what)
{
	int tid;
	const long error = wcm__system_calls_on(globs, &named, &tid);

	if (error != 0 && error != -ENOENT)
		complain(error, tid, what);
	else if (globs)
		wcm__globs_tell_unseen("no system call", "system-calls", globs, named);
	return error == 0;
}

void wcm__system_calls_tell_untraced(void)
{
	if (kept && wcm__system_calls_are_on())
		wcm__globs_tell_unseen("no traced system call of this program", "system-calls",
				       kept, wcm__system_calls_traced(kept) | ~named |
						     wcm__globs_drop(kept));
}

static bool tells; /* at the end of this process */

void wcm__system_calls_tell_later(void)
{
	tells = true;
}

static void tell_untraced(void *argument)
{
	(void)argument;
	wcm__system_calls_tell_untraced();
}

static void at_end(void)
{
	if (tells && wcm__gate_is_open() && wcm__gate.owner == wcm__process_id())
		wcm__work_stack_call(tell_untraced, NULL);
	wcm__process_end_finish();
}

/* The list of a trace before is read by nobody any more. */
bool wcm__system_calls_on_or_complain(const struct wcm_trace_options *options, bool has_probes)
{
	const bool has_lines_alone =
		options->mode == WCM_TRACE_PAIRS || options->mode == WCM_TRACE_ADDRESSES;
	const char *asked = has_lines_alone ? NULL : options->system_calls;

	wcm__system_calls_off();
	free(kept);
	kept = asked && *asked ? strdup(asked) : NULL;
	tells = false;
	wcm__system_calls_at_end(at_end, wcm__process_end_exec);
	wcm__system_calls_at_rights(wcm__readers_call, wcm__readers_look);
	wcm__static_probes_keep(has_probes);
	if (kept && turn_on(kept, "system calls"))
		return true;
	return has_probes && turn_on(NULL, "probes");
}
