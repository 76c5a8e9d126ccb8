/* SPDX-License-Identifier: MIT */
/* sink_graph.h - what a thread counts, and what became of it. */
#ifndef WCM_HOOK_SINK_GRAPH_H
#define WCM_HOOK_SINK_GRAPH_H

#include "hook/edges.h"
#include "hook/places.h"
#include "hook/tracer.h"

/* In a tracer: of its thread, and of those that had the tracer before. */
struct wcm_counted {
	struct wcm_edges edges;
	struct wcm_places places;
	uint32_t generation; /* of the trace it is of */
	uint32_t ended;      /* threads that are no more */
	uint32_t deepest;    /* of theirs: depth, from 1 */
	uint64_t most_stack; /* bytes */
	uint64_t lost;       /* calls that found no room */
};

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
