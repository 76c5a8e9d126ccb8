/* SPDX-License-Identifier: MIT */
/* probe_options.c - has static probes be traced, as a trace's options ask for. */
#include "trace/control/probe_options.h"

#include <stdlib.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/report/line.h"
#include "crash/files/report_file.h"
#include "trace/probe/trace_stderr.h"
#include "trace/source/static/static_probes.h"

enum { MOST_LISTED = 20 };

static void begin(struct wcm_line *line, const char *text)
{
	wcm__line_begin(line, wcm__trace_stderr());
	wcm__line_text(line, text);
}

/* A line that is being written, and how many names it has. */
struct list {
	struct wcm_line *line;
	unsigned count;
};

static void add_name(const char *name, void *data)
{
	struct list *list = data;

	if (list->count < MOST_LISTED) {
		wcm__line_text(list->line, list->count > 0 ? ", " : "; there are ");
		wcm__line_name(list->line, name);
	}
	list->count++;
}

static void complain_of_none(const char *globs)
{
	struct wcm_line line;
	struct list list = { &line, 0 };

	begin(&line, "no probe matches --probes=");
	wcm__line_name(&line, globs);
	wcm__static_probes_list(add_name, &list);
	wcm__line_text(&line, list.count == 0	       ? "; there are none" :
			      list.count > MOST_LISTED ? " and others" :
							 "");
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

static char *kept; /* what the probes are of; NULL: none are traced */

/* The list of a trace before is read by nobody any more. */
bool wcm__probes_find_or_complain(const struct wcm_trace_options *options)
{
	const bool has_lines_alone =
		options->mode == WCM_TRACE_PAIRS || options->mode == WCM_TRACE_ADDRESSES;
	const char *asked = has_lines_alone || !options->probes || !*options->probes ?
				    NULL : options->probes;

	wcm__static_probes_off();
	wcm__static_probes_want(NULL);
	free(kept);
	kept = NULL;
	if (asked && wcm__arch_undispatched_code().lo == 0) {
		struct wcm_line line;

		begin(&line, "probes are not traced: this CPU's are not known\n");
		wcm__line_write(&line);
	} else if (asked && (kept = strdup(asked))) {
		wcm__static_probes_want(kept);
	}
	return kept;
}

void wcm__probes_tell_unseen(void)
{
	if (kept && !wcm__static_probes_match())
		complain_of_none(kept);
}

void wcm__probes_light_or_complain(void)
{
	const long error = wcm__static_probes_on();
	const char *reason = error ? wcm__crash_file_reason((int)error) : NULL;
	struct wcm_line line;

	if (error == 0)
		return;
	begin(&line, "probes are not all traced: ");
	wcm__line_text(&line, reason ? reason : strerror((int)-error));
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}
