/* SPDX-License-Identifier: MIT */
/* sink_pairs.c - a line a call, in the words of the original library. */
#include "hook/lines.h"
#include "report/text.h"

static void enter(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth)
{
	struct wcm_line line;

	(void)tracer, (void)depth;
	wcm__line_init(&line, wcm__lines_fd());
	wcm__line_text(&line, "__cyg_profile_func_enter: func = ");
	wcm__text_function(&line, call->func, wcm__line_name);
	wcm__line_text(&line, ", called by = ");
	wcm__text_function(&line, call->site - 1, wcm__line_name);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

const struct wcm_sink wcm__sink_pairs = { .enter = enter };
