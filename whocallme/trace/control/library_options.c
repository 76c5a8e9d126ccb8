/* SPDX-License-Identifier: MIT */
/* library_options.c - has calls into libraries be traced, as a trace's options ask for. */
#include "trace/control/library_options.h"

#include <stdlib.h>
#include <string.h>

#include "core/report/line.h"
#include "crash/files/report_file.h"
#include "format/glob.h"
#include "trace/control/filter_options.h"
#include "trace/probe/trace_stderr.h"
#include "trace/source/got/library_calls.h"

static void complain(const struct wcm_library_result *result)
{
	const char *reason = wcm__crash_file_reason(-result->error);
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	if (result->refused) {
		wcm__line_text(&line, "library calls are not traced: this CPU's are not known");
	} else {
		wcm__line_text(&line, "library calls are not all traced: ");
		wcm__line_text(&line, reason ? reason : strerror(result->error));
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

/* The list of a trace before is read by nobody any more. */
static const char *copy(char **kept, const char *list)
{
	free(*kept);
	*kept = list && *list ? strdup(list) : NULL;
	return *kept;
}

static char *calls;    /* the list of the latest trace; NULL: none */
static uint64_t named; /* which globs of it have names */

void wcm__library_calls_tell_uncalled(void)
{
	if (calls)
		wcm__globs_tell_unseen("no traced library call of this program", "library-calls",
				       calls, wcm__library_calls_called(calls) | ~named |
						      wcm__globs_drop(calls));
}

void wcm__library_calls_on_or_complain(const struct wcm_trace_options *options)
{
	static char *callers;
	struct wcm_library_result result;

	wcm__library_calls_off();
	named = 0;
	copy(&callers, options->library_callers);
	if (!copy(&calls, options->library_calls))
		return;
	result = wcm__library_calls_on(calls, callers);
	if (result.refused || result.error) {
		complain(&result);
		return;
	}
	named = result.seen;
	wcm__globs_tell_unseen("no library call", "library-calls", calls, named);
}
