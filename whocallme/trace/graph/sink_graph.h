/* SPDX-License-Identifier: MIT */
/* sink_graph.h (SAFE) - counts who called whom as it happens, and what a thread has counted. */
#ifndef WCM_GRAPH_SINK_GRAPH_H
#define WCM_GRAPH_SINK_GRAPH_H

#include "trace/engine/sink.h"
#include "trace/graph/edges.h"
#include "trace/names/kept_names.h"

/* In a tracer: of its thread, and of those that had the tracer before. */
struct wcm_counted {
	struct wcm_edges edges;
	struct wcm_kept_names kept;
	uint32_t generation; /* of the trace it is of */
	uint32_t ended;      /* threads that are no more */
	uint32_t deepest;    /* of theirs: depth, from 1 */
	uint64_t most_stack; /* bytes */
	uint64_t lost;       /* calls that found no room */
};

/* What the mode does with an event: parts of wcm_sink. */
bool wcm__graph_begin(struct wcm_tracer *tracer);
void wcm__graph_enter(struct wcm_tracer *tracer, struct wcm_call *call,
		      uint32_t depth);
void wcm__graph_leave(struct wcm_tracer *tracer, struct wcm_call *call,
		      uint32_t depth, uint64_t now, enum wcm_end end);
bool wcm__graph_enter_fast(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			   const struct wcm_given *given);
bool wcm__graph_leave_fast(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			   uint64_t now, const struct wcm_given *given);
bool wcm__graph_end(struct wcm_tracer *tracer);
void wcm__graph_fork(void);

/* What this process has counted in the latest trace. */
struct wcm_graph {
	struct wcm_edges edges;
	uint32_t ended, deepest; /* of all threads but those that are */
	uint64_t most_stack, lost;
};

/* Gather it, calls that are still open with what they have taken so far.  False: no
 * memory. */
bool wcm__graph_gather(struct wcm_graph *graph);

/* Whether TRACER's thread is one of those counted, and there still. */
bool wcm__graph_has(const struct wcm_tracer *tracer);

#endif
