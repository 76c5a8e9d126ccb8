/* SPDX-License-Identifier: MIT */
/* edges.h - who called whom, how often and for how long, in numbers.
 *
 * A table has one writer and takes memory by the functions and edges there are.  Others
 * may read it at any time: what it has outgrown stays mapped, so that they are a few
 * calls behind at worst.
 */
#ifndef WCM_HOOK_EDGES_H
#define WCM_HOOK_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_node {
	uintptr_t func;  /* 0: code that is not instrumented */
	uint32_t open;   /* its calls that have not ended */
	uint32_t latest; /* the edge from here that was taken last */
};

/* Times are in nanoseconds and of calls that have ended. */
struct wcm_edge {
	uint32_t from, to; /* nodes */
	uintptr_t func;    /* TO's */
	uint64_t calls;
	uint64_t total;    /* of calls that were not in another one of TO */
	uint64_t self;     /* less calls of others */
};

/* Node and edge 0 are of no call. */
struct wcm_edges {
	struct wcm_node *node;
	struct wcm_edge *edge;
	uint32_t node_count, edge_count, node_room, edge_room;
	uint32_t *node_slot, *edge_slot; /* hashed indices, 0: free; twice the room */
};

/* Make an empty table that has room for COUNT edges before it grows.  False: no
 * memory. */
bool wcm__edges_init(struct wcm_edges *edges, uint32_t count);

/* Forget all functions and calls, but keep the room. */
void wcm__edges_clear(struct wcm_edges *edges);

/* Give the memory back; nobody reads it any more. */
void wcm__edges_free(struct wcm_edges *edges);

/* FUNC's node, made if there is none; 0 for 0, or where there is no memory. */
uint32_t wcm__edges_node(struct wcm_edges *edges, uintptr_t func);

/* The edge from the node FROM to FUNC, made if there is none; 0: no memory. */
uint32_t wcm__edges_search(struct wcm_edges *edges, uint32_t from, uintptr_t func);

static inline uint32_t wcm__edges_find(struct wcm_edges *edges, uint32_t from,
				       uintptr_t func)
{
	const uint32_t latest = edges->node[from].latest;

	if (__builtin_expect(edges->edge[latest].func == func &&
			     edges->edge[latest].from == from, 1))
		return latest;
	return wcm__edges_search(edges, from, func);
}

/* What a reader sees: *COUNT elements, all of them there. */
const struct wcm_node *wcm__edges_nodes(const struct wcm_edges *edges, uint32_t *count);
const struct wcm_edge *wcm__edges_all(const struct wcm_edges *edges, uint32_t *count);

/* Add VALUE to a number that others read. */
static inline void wcm__edges_count(uint64_t *number, uint64_t value)
{
	__atomic_store_n(number, *number + value, __ATOMIC_RELAXED);
}

#endif
