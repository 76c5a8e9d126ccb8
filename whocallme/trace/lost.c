/* SPDX-License-Identifier: MIT */
/* lost.c - how much was not traced that should have been? */
#include "trace/lost.h"

#include <unistd.h>

#include "hook/tracer.h"
#include "report/line.h"
#include "whocallme/trace.h"

void wcm__lost_tell(void)
{
	const uint64_t too_deep = wcm__tracers_too_deep();
	struct wcm_trace_counts counts;
	struct wcm_line line;

	if (wcm__tracer_is_in_child()) /* what is counted is the parent's */
		return;
	wcm_trace_count(&counts);
	if (counts.lost == 0)
		return;
	wcm__line_init(&line, STDERR_FILENO);
	wcm__line_text(&line, "<whocallme>: ");
	wcm__line_decimal(&line, (int64_t)counts.lost);
	wcm__line_text(&line, " events were lost:");
	if (too_deep > 0) {
		wcm__line_text(&line, " ");
		wcm__line_decimal(&line, (int64_t)too_deep);
		wcm__line_text(&line, " calls, too many being open");
	}
	if (counts.lost > too_deep) {
		wcm__line_text(&line, too_deep > 0 ? ", " : " ");
		wcm__line_decimal(&line, (int64_t)(counts.lost - too_deep));
		wcm__line_text(&line, " in signal handlers that had interrupted "
				      "the trace");
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}
