/* SPDX-License-Identifier: MIT */
/* edges.h (SAFE) - a table of who called whom, how often and for how long.
 *
 * A table has one writer, and its memory grows with the functions and edges in it.  Others
 * may read it at any time: a table that was outgrown stays mapped, so that a reader of it is
 * only a few calls behind.
 */
#ifndef WCM_GRAPH_EDGES_H
#define WCM_GRAPH_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_kept_name;

struct wcm_node {
	uintptr_t func;
	const struct wcm_kept_name *kept; /* the owner's own, or NULL */
	uint32_t open;                 /* its calls that have not ended */
};

/* Times are in nanoseconds and of calls that have ended.  An ABI may align words of 64 bits to
 * less: one that is written at once, over the end of a line of the cache, takes a microsecond. */
struct wcm_edge {
	uintptr_t from, func; /* the caller, 0: code that is not instrumented; the
			       * callee */
	_Alignas(8) uint64_t calls;
	uint64_t total; /* of calls that were not in another one of FUNC */
	uint64_t self;  /* less calls of others */
	uint32_t node;  /* FUNC's */
};

/* Node and edge 0 are of no call. */
struct wcm_edges {
	struct wcm_edge *edge;
	uint32_t *edge_slot; /* hashed indices, 0: free; twice the room */
	struct wcm_node *node;
	uint32_t *node_slot;
	uint32_t edge_count, edge_room, node_count, node_room;
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

/* The node of INDEX is FUNC's from now on, which has none, and so are its edges.
 * Nothing is found until wcm__edges_hash_again(). */
void wcm__edges_rename(struct wcm_edges *edges, uint32_t index, uintptr_t func);

void wcm__edges_hash_again(struct wcm_edges *edges);

/* Whether FUNC is a number instead of the address of a function that is no more, which
 * another may have: of 64 bits, the kernel has the upper half. */
static inline bool wcm__edges_is_retired(uintptr_t func)
{
	return sizeof(func) == sizeof(uint64_t) && func > UINTPTR_MAX / 2;
}

/* The edge from FROM to FUNC, made if there is none; 0: no memory. */
uint32_t wcm__edges_find(struct wcm_edges *edges, uintptr_t from, uintptr_t func);

static inline uint32_t wcm__edges_hash(uintptr_t from, uintptr_t func, uint32_t room)
{
	const uint64_t mixed = func * UINT64_C(0x9e3779b97f4a7c15) +
			       from * UINT64_C(0xc2b2ae3d27d4eb4f);

	return (uint32_t)(mixed >> 32) & (2 * room - 1);
}

/* The same from one look.  0: there is none, or it shares a slot. */
static inline uint32_t wcm__edges_peek(const struct wcm_edges *edges, uintptr_t from,
				       uintptr_t func)
{
	const uint32_t slot = wcm__edges_hash(from, func, edges->edge_room);
	const uint32_t index = edges->edge_slot[slot];
	const struct wcm_edge *edge = &edges->edge[index];

	return edge->func == func && edge->from == from ? index : 0;
}

/* What a reader sees: *COUNT of them, all there. */
const struct wcm_node *wcm__edges_nodes(const struct wcm_edges *edges, uint32_t *count);
const struct wcm_edge *wcm__edges_all(const struct wcm_edges *edges, uint32_t *count);

/* Add VALUE to a number that others read. */
static inline void wcm__edges_count(uint64_t *number, uint64_t value)
{
	__atomic_store_n(number, *number + value, __ATOMIC_RELAXED);
}

#endif
