/* SPDX-License-Identifier: MIT */
/* gate.c (SAFE) - the gate's one variable. */
#include "trace/engine/gate.h"

#include "whocallme/trace.h"

struct wcm_gate wcm__gate;

void wcm__gate_words(struct wcm_words *words)
{
	words->hides_data = wcm__gate.flags & WCM_TRACE_NO_DATA;
	words->shows_paths = wcm__gate.flags & WCM_TRACE_PATHS;
	words->is_plain = !(wcm__gate.flags & WCM_TRACE_ARTICLE);
	words->shown = (uint16_t)wcm__gate.shown;
}
