/* SPDX-License-Identifier: MIT */
/* graph_gather.c (SAFE) - adds up what all threads have counted.
 *
 * The threads go on counting meanwhile.  The sums are therefore of no single moment; each
 * number in them is one that the thread had or, for open calls, will have soon.
 */
#include "trace/graph/sink_graph.h"

#include "core/os/self.h"
#include "trace/names/kept_names.h"
#include "trace/engine/gate.h"
#include "trace/engine/ticks.h"
#include "trace/engine/tracer_life.h"
#include "whocallme/trace.h"

/* What TRACER's thread, and those before it, have counted; NULL: nothing of this
 * process and trace. */
static const struct wcm_counted *counted_by(const struct wcm_tracer *tracer, int pid)
{
	const struct wcm_counted *counted =
		__atomic_load_n(&tracer->counted, __ATOMIC_ACQUIRE);

	if (!counted || counted->generation != wcm__gate.generation ||
	    tracer->pid != pid)
		return NULL;
	return counted;
}

bool wcm__graph_has(const struct wcm_tracer *tracer)
{
	return __atomic_load_n(&tracer->generation, __ATOMIC_ACQUIRE) ==
		       wcm__gate.generation &&
	       counted_by(tracer, wcm__process_id());
}

/* One function of a module that is gone has a number with each thread, and for each
 * time that it went: the one that TO knows it by. */
static uintptr_t number_of(const struct wcm_edges *to, const struct wcm_edges *part,
			   uintptr_t func)
{
	const struct wcm_kept_name *kept = NULL;
	uint32_t count;
	const struct wcm_node *node = wcm__edges_nodes(part, &count);

	if (!wcm__edges_is_retired(func))
		return func;
	for (uint32_t i = 1; i < count && !kept; i++)
		if (node[i].func == func)
			kept = __atomic_load_n(&node[i].kept, __ATOMIC_ACQUIRE);
	for (uint32_t i = 1; i < to->node_count && kept; i++)
		if (to->node[i].kept &&
		    wcm__kept_names_are_equal(kept, to->node[i].kept))
			return to->node[i].func;
	return func;
}

static struct wcm_edge *edge_of(struct wcm_edges *to, const struct wcm_edges *part,
				const struct wcm_edge *edge)
{
	const uintptr_t from = number_of(to, part, edge->from);
	const uintptr_t func = number_of(to, part, edge->func);

	wcm__edges_node(to, from);
	return &to->edge[wcm__edges_find(to, from, func)];
}

static void add_edges(struct wcm_edges *to, const struct wcm_edges *part)
{
	uint32_t count;
	const struct wcm_edge *edges = wcm__edges_all(part, &count);

	for (uint32_t i = 1; i < count; i++) {
		struct wcm_edge *sum = edge_of(to, part, &edges[i]);

		sum->calls += __atomic_load_n(&edges[i].calls, __ATOMIC_RELAXED);
		sum->total += __atomic_load_n(&edges[i].total, __ATOMIC_RELAXED);
		sum->self += __atomic_load_n(&edges[i].self, __ATOMIC_RELAXED);
	}
}

/* Those that are retired, or those that are not. */
static void add_kept(struct wcm_edges *to, const struct wcm_edges *part,
		     bool retired)
{
	uint32_t count;
	const struct wcm_node *nodes = wcm__edges_nodes(part, &count);

	for (uint32_t i = 1; i < count; i++) {
		const struct wcm_kept_name *kept =
			__atomic_load_n(&nodes[i].kept, __ATOMIC_ACQUIRE);

		if (kept && wcm__edges_is_retired(nodes[i].func) == retired)
			to->node[wcm__edges_node(to, number_of(to, part,
							       nodes[i].func))]
				.kept = kept;
	}
}

static uint64_t since(uint64_t begin, uint64_t now)
{
	return now > begin ? now - begin : 0;
}

/* The calls of SHADOW, of the thread that MARK tells from others. */
static void add_open(struct wcm_edges *to, const struct wcm_edges *part,
		     const struct wcm_shadow *shadow, uint32_t mark, uint64_t now)
{
	uint32_t count, depth;
	const struct wcm_edge *edges = wcm__edges_all(part, &count);

	depth = __atomic_load_n(&shadow->depth, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < depth; i++) {
		const struct wcm_call *call = &shadow->call[i];
		const uint64_t until = i + 1 < depth ? call[1].begin : now;
		struct wcm_edge *sum;

		if (call->index == 0 || call->index >= count ||
		    (call->flags & WCM_CALL_HIDDEN))
			continue;
		sum = edge_of(to, part, &edges[call->index]);
		sum->self += since(call->begin + call->inner, until);
		if (to->node[sum->node].open == mark)
			continue;
		to->node[sum->node].open = mark;
		sum->total += since(call->begin, now);
	}
}

static void add_thread(struct wcm_graph *graph, const struct wcm_tracer *tracer,
		       const struct wcm_counted *counted, uint32_t mark, uint64_t now)
{
	add_kept(&graph->edges, &counted->edges, true);
	add_edges(&graph->edges, &counted->edges);
	for (const struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		add_open(&graph->edges, &counted->edges, shadow, mark, now);
	graph->ended += counted->ended;
	graph->lost += counted->lost;
	if (counted->deepest > graph->deepest)
		graph->deepest = counted->deepest;
	if (counted->most_stack > graph->most_stack)
		graph->most_stack = counted->most_stack;
}

static uint32_t count_edges(int pid)
{
	uint32_t sum = 0;

	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		const struct wcm_counted *counted = counted_by(tracer, pid);
		uint32_t count = 0;

		if (counted)
			wcm__edges_all(&counted->edges, &count);
		sum += count;
	}
	return sum;
}

/* What is there now comes first: a function that was there before may be back. */
static void add_all_kept(struct wcm_edges *to, int pid)
{
	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		const struct wcm_counted *counted = counted_by(tracer, pid);

		if (counted)
			add_kept(to, &counted->edges, false);
	}
}

bool wcm__graph_gather(struct wcm_graph *graph)
{
	const int pid = wcm__process_id();
	const bool timed = !(wcm__gate.flags & WCM_TRACE_NO_TIMES);
	const uint64_t now = timed ? wcm__ticks_ns() : 0;
	uint32_t mark = 0;

	wcm__tracers_settle();
	*graph = (struct wcm_graph){ 0 };
	if (!wcm__edges_init(&graph->edges, count_edges(pid)))
		return false;
	add_all_kept(&graph->edges, pid);
	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		const struct wcm_counted *counted = counted_by(tracer, pid);

		if (counted)
			add_thread(graph, tracer, counted, ++mark, now);
	}
	return true;
}
