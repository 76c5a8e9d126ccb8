/* SPDX-License-Identifier: MIT */
/* sink_graph.c (SAFE) - counts every call in a table of the thread's own.
 *
 * Each thread writes to a table of its own.  A thread that has ended leaves its table to the
 * next one, so there are as many tables as there were threads at one time.
 */
#include "trace/graph/sink_graph.h"

#include "core/modules/module_id.h"
#include "core/os/memory.h"
#include "trace/engine/aside.h"
#include "trace/engine/gate.h"
#include "trace/engine/shadow.h"
#include "trace/engine/sink.h"
#include "trace/engine/ticks.h"
#include "trace/engine/tracer_life.h"
#include "whocallme/trace.h"

static struct wcm_counted *make(void)
{
	struct wcm_counted *counted = wcm__map(sizeof(*counted));

	if (!counted || wcm__edges_init(&counted->edges, 0))
		return counted;
	wcm__unmap(counted, sizeof(*counted));
	return NULL;
}

bool wcm__graph_begin(struct wcm_tracer *tracer)
{
	struct wcm_counted *counted = tracer->counted;

	if (!counted) {
		counted = make();
		if (!counted)
			return wcm__tracers_starve();
	} else if (counted->generation != wcm__gate.generation) {
		wcm__edges_clear(&counted->edges);
		counted->kept.used = 0;
		counted->ended = counted->deepest = 0;
		counted->most_stack = counted->lost = 0;
	}
	counted->generation = wcm__gate.generation;
	__atomic_store_n(&tracer->counted, counted, __ATOMIC_RELEASE);
	return true;
}

/* The function of INDEX has not been called before. */
static void note_name(struct wcm_counted *counted, uint32_t index)
{
	struct wcm_node *node;

	if (index == 0)
		return;
	node = &counted->edges.node[counted->edges.edge[index].node];
	__atomic_store_n(&node->kept,
			 wcm__kept_names_note(&counted->kept, node->func),
			 __ATOMIC_RELEASE);
}

/* The module of GONE is no more: its functions have numbers.  Those of the one that
 * holds FUNC, if it was there before, have their addresses again. */
static void replace(struct wcm_edges *edges, const struct wcm_module_id *gone,
		    uintptr_t func)
{
	static uintptr_t number = UINTPTR_MAX;
	const struct wcm_module_id *back = NULL;

	for (uint32_t i = 1; i < edges->node_count; i++)
		if (edges->node[i].kept && edges->node[i].kept->id == gone)
			wcm__edges_rename(edges, i,
					  __atomic_fetch_sub(&number, 1,
							     __ATOMIC_RELAXED));
	for (uint32_t i = 1; i < edges->node_count; i++) {
		const struct wcm_kept_name *kept = edges->node[i].kept;

		if (!kept || !kept->id || kept->id == gone)
			continue;
		if (kept->id != back &&
		    wcm__module_id_holds(kept->id, func))
			back = kept->id;
		if (kept->id == back)
			wcm__edges_rename(edges, i, kept->func);
	}
	wcm__edges_hash_again(edges);
}

/* The edge of a call of FUNC, where the module of GONE was until now. */
__attribute__((noinline)) static uint32_t
find_new(struct wcm_counted *counted, const struct wcm_module_id *gone,
	 uintptr_t from, uintptr_t func)
{
	struct wcm_edges *edges = &counted->edges;
	uint32_t index;

	replace(edges, gone, func);
	index = wcm__edges_find(edges, from, func);
	if (!edges->node[edges->edge[index].node].kept)
		note_name(counted, index);
	return index;
}

/* The edge of a call, noted if it is new, or if another module is at FUNC now. */
static uint32_t find(struct wcm_counted *counted, uintptr_t from, uintptr_t func)
{
	struct wcm_edges *edges = &counted->edges;
	const uint32_t nodes = edges->node_count;
	const uint32_t index = wcm__edges_find(edges, from, func);
	const struct wcm_kept_name *kept =
		edges->node[edges->edge[index].node].kept;

	if (edges->node_count != nodes)
		note_name(counted, index);
	else if (kept && !wcm__kept_name_holds(kept, from, func))
		return find_new(counted, kept->id, from, func);
	return index;
}

/* CALL, of the edge of INDEX, begins. */
static void count(struct wcm_counted *counted, struct wcm_call *call, uint32_t index)
{
	struct wcm_edge *edge = &counted->edges.edge[index];

	call->index = index;
	counted->edges.node[edge->node].open++;
	wcm__edges_count(&edge->calls, 1);
}

struct entry {
	struct wcm_counted *counted;
	struct wcm_call *call;
	uintptr_t from;
};

static void enter_aside(void *argument)
{
	const struct entry *entry = argument;
	const uint32_t index = find(entry->counted, entry->from, entry->call->func);

	if (index == 0)
		entry->counted->lost++;
	else
		count(entry->counted, entry->call, index);
}

__attribute__((noinline)) static void
enter_slowly(struct wcm_tracer *tracer, struct wcm_call *call, uintptr_t from)
{
	wcm__aside(tracer, enter_aside, &(struct entry){ tracer->counted, call, from });
}

/* The function that makes CALL, which is the innermost one or the next. */
static inline uintptr_t caller_of(const struct wcm_shadow *shadow, const struct wcm_call *call)
{
	if (call == shadow->call || (call[-1].flags & WCM_CALL_HIDDEN))
		return wcm__shadow_caller(shadow, call, WCM_CALL_HIDDEN);
	return call[-1].func;
}

/* The edge of a call, found at once and in code that stays; else 0. */
static inline uint32_t peek(const struct wcm_edges *edges, uintptr_t from, uintptr_t func)
{
	const uint32_t index = wcm__edges_peek(edges, from, func);

	return __builtin_expect(index && !edges->node[edges->edge[index].node].kept, 1) ?
		       index : 0;
}

/* Count CALL by FROM, if that takes one look. */
static inline bool count_at_once(struct wcm_counted *counted, struct wcm_call *call,
				 uintptr_t from)
{
	const uint32_t index = peek(&counted->edges, from, call->func);

	if (__builtin_expect(index == 0, 0))
		return false;
	count(counted, call, index);
	return true;
}

void wcm__graph_enter(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth)
{
	const uintptr_t from = caller_of(tracer->shadow, call);

	(void)depth;
	if (!count_at_once(tracer->counted, call, from))
		enter_slowly(tracer, call, from);
}

bool wcm__graph_enter_fast(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			   const struct wcm_given *given)
{
	(void)depth, (void)given;
	return count_at_once(tracer->counted, call, caller_of(tracer->shadow, call));
}

bool wcm__graph_leave_fast(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			   uint64_t now, const struct wcm_given *given)
{
	(void)given;
	wcm__graph_leave(tracer, call, depth, now, WCM_END_EXIT);
	return true;
}

void wcm__graph_leave(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
		  uint64_t now, enum wcm_end end)
{
	struct wcm_counted *counted = tracer->counted;
	struct wcm_edge *edge = &counted->edges.edge[call->index];
	const uint64_t total = now - call->begin;

	(void)depth, (void)end;
	if (call->index == 0)
		return;
	wcm__edges_count(&edge->self, total - call->inner);
	if (--counted->edges.node[edge->node].open == 0)
		wcm__edges_count(&edge->total, total);
}

bool wcm__graph_end(struct wcm_tracer *tracer)
{
	struct wcm_counted *counted = tracer->counted;

	counted->ended++;
	if (tracer->deepest > counted->deepest)
		counted->deepest = tracer->deepest;
	if (tracer->most_stack > counted->most_stack)
		counted->most_stack = tracer->most_stack;
	return true;
}

/* The calls that are open go on, and are the parent's; time is counted from here. */
static void restart(struct wcm_tracer *tracer, uint64_t now)
{
	for (struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		for (uint32_t i = 0; i < shadow->depth; i++) {
			shadow->call[i].begin = now;
			shadow->call[i].inner = 0;
		}
}

static void forget_counts(struct wcm_counted *counted)
{
	for (uint32_t i = 0; i < counted->edges.edge_count; i++) {
		struct wcm_edge *edge = &counted->edges.edge[i];

		edge->calls = edge->total = edge->self = 0;
	}
	counted->ended = counted->deepest = 0;
	counted->most_stack = counted->lost = 0;
}

void wcm__graph_fork(void)
{
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next) {
		struct wcm_counted *counted = tracer->counted;

		if (!counted || counted->generation != wcm__gate.generation)
			continue;
		forget_counts(counted);
		if (tracer == wcm__tracer_own)
			restart(tracer, wcm__gate.flags & WCM_TRACE_NO_TIMES ?
						0 : wcm__ticks_ns());
		else
			wcm__edges_clear(&counted->edges);
	}
}
