/* SPDX-License-Identifier: MIT */
/* sink_pairs.c (SAFE) - writes a call as a line in the words of the original library. */
#include "trace/log/text_sinks.h"

#include "trace/names/name_cache.h"
#include "trace/engine/gate.h"
#include "trace/engine/shadow.h"
#include "trace/log/line_output.h"
#include "whocallme/trace.h"

/* A function inlined into its caller returns to where that does, so that the address
 * names the caller alone where no open call does. */
static void add_caller(struct wcm_line *line, const struct wcm_tracer *tracer,
		       const struct wcm_call *call)
{
	const uintptr_t caller = wcm__shadow_caller(tracer->shadow, call, 0);

	wcm__name_cache_add(line, caller ? caller : call->site - 1);
}

/* Inline, so that the length of BEFORE is known. */
static inline void add_pair(struct wcm_line *line, const char *before,
			    const struct wcm_tracer *tracer, struct wcm_call *call)
{
	wcm__line_init(line, -1);
	wcm__line_text(line, before);
	call->index = wcm__name_cache_add_again(line, call->func, call->index);
	wcm__line_text(line, ", called by = ");
	add_caller(line, tracer, call);
}

void wcm__pairs_enter(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth)
{
	struct wcm_line line;

	(void)depth;
	add_pair(&line, "__cyg_profile_func_enter: func = ", tracer, call);
	wcm__line_text(&line, "\n");
	wcm__line_output_write(&line);
}

void wcm__pairs_leave(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth, uint64_t now, enum wcm_end end)
{
	struct wcm_line line;

	(void)depth, (void)end;
	if (!(wcm__gate.flags & WCM_TRACE_EXITS))
		return;
	add_pair(&line, "__cyg_profile_func_exit: func = ", tracer, call);
	wcm__line_text(&line, ", after ");
	wcm__line_decimal(&line, (int64_t)(now - call->begin));
	wcm__line_text(&line, " ns\n");
	wcm__line_output_write(&line);
}
