/* SPDX-License-Identifier: MIT */
/* edges.c (SAFE) - a table of who called whom, how often and for how long.
 *
 * A full table is copied into one of twice the size, which readers see when it is whole: a hash
 * table of the safe world has no room from malloc(3), and each there has who reads it meanwhile.
 */
#include "trace/graph/edges.h"

#include <string.h>

#include "core/os/memory.h"

enum { FIRST_ROOM = 256, MOST_ROOM = 1 << 28 };

static void unmap(void *memory, size_t size)
{
	if (memory)
		wcm__unmap(memory, size);
}

/* Where FUNC's node is, or has to go. */
static uint32_t *node_slot(const struct wcm_edges *edges, uintptr_t func)
{
	uint32_t at = wcm__edges_hash(0, func, edges->node_room);

	while (edges->node_slot[at] != 0 &&
	       edges->node[edges->node_slot[at]].func != func)
		at = (at + 1) & (2 * edges->node_room - 1);
	return &edges->node_slot[at];
}

static uint32_t *edge_slot(const struct wcm_edges *edges, uintptr_t from,
			   uintptr_t func)
{
	uint32_t at = wcm__edges_hash(from, func, edges->edge_room);

	for (; edges->edge_slot[at] != 0; at = (at + 1) & (2 * edges->edge_room - 1)) {
		const struct wcm_edge *edge = &edges->edge[edges->edge_slot[at]];

		if (edge->func == func && edge->from == from)
			break;
	}
	return &edges->edge_slot[at];
}

/* Element and slots of a table of ROOM are one mapping. */
static size_t table_size(uint32_t room, size_t element)
{
	return room * (element + 2 * sizeof(uint32_t));
}

static bool grow_nodes(struct wcm_edges *edges, uint32_t room)
{
	struct wcm_node *node;

	if (room > MOST_ROOM || !(node = wcm__map(table_size(room, sizeof(*node)))))
		return false;
	if (edges->node_count > 0)
		memcpy(node, edges->node, edges->node_count * sizeof(*node));
	edges->node_slot = (uint32_t *)(node + room);
	edges->node_room = room;
	__atomic_store_n(&edges->node, node, __ATOMIC_RELEASE);
	for (uint32_t i = 1; i < edges->node_count; i++)
		*node_slot(edges, node[i].func) = i;
	return true;
}

static bool grow_edges(struct wcm_edges *edges, uint32_t room)
{
	struct wcm_edge *edge;

	if (room > MOST_ROOM || !(edge = wcm__map(table_size(room, sizeof(*edge)))))
		return false;
	if (edges->edge_count > 0)
		memcpy(edge, edges->edge, edges->edge_count * sizeof(*edge));
	edges->edge_slot = (uint32_t *)(edge + room);
	edges->edge_room = room;
	__atomic_store_n(&edges->edge, edge, __ATOMIC_RELEASE);
	for (uint32_t i = 1; i < edges->edge_count; i++)
		*edge_slot(edges, edge[i].from, edge[i].func) = i;
	return true;
}

bool wcm__edges_init(struct wcm_edges *edges, uint32_t count)
{
	uint32_t room = FIRST_ROOM;

	*edges = (struct wcm_edges){ 0 };
	while (room <= count && room <= MOST_ROOM)
		room *= 2;
	if (!grow_nodes(edges, room) || !grow_edges(edges, room)) {
		wcm__edges_free(edges);
		return false;
	}
	edges->node_count = edges->edge_count = 1;
	return true;
}

void wcm__edges_clear(struct wcm_edges *edges)
{
	__atomic_store_n(&edges->edge_count, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&edges->node_count, 1, __ATOMIC_RELEASE);
	memset(edges->node, 0, table_size(edges->node_room, sizeof(*edges->node)));
	memset(edges->edge, 0, table_size(edges->edge_room, sizeof(*edges->edge)));
}

void wcm__edges_free(struct wcm_edges *edges)
{
	unmap(edges->node, table_size(edges->node_room, sizeof(*edges->node)));
	unmap(edges->edge, table_size(edges->edge_room, sizeof(*edges->edge)));
	*edges = (struct wcm_edges){ 0 };
}

uint32_t wcm__edges_node(struct wcm_edges *edges, uintptr_t func)
{
	const uint32_t count = edges->node_count;
	uint32_t *slot;

	if (func == 0)
		return 0;
	slot = node_slot(edges, func);
	if (*slot != 0)
		return *slot;
	if (count == edges->node_room) {
		if (!grow_nodes(edges, 2 * count))
			return 0;
		slot = node_slot(edges, func);
	}
	edges->node[count] = (struct wcm_node){ .func = func };
	*slot = count;
	__atomic_store_n(&edges->node_count, count + 1, __ATOMIC_RELEASE);
	return count;
}

static uint32_t add(struct wcm_edges *edges, uintptr_t from, uintptr_t func)
{
	const uint32_t count = edges->edge_count;
	const uint32_t node = wcm__edges_node(edges, func);

	if (node == 0 || (count == edges->edge_room && !grow_edges(edges, 2 * count)))
		return 0;
	edges->edge[count] = (struct wcm_edge){ .from = from, .func = func,
						.node = node };
	*edge_slot(edges, from, func) = count;
	__atomic_store_n(&edges->edge_count, count + 1, __ATOMIC_RELEASE);
	return count;
}

uint32_t wcm__edges_find(struct wcm_edges *edges, uintptr_t from, uintptr_t func)
{
	const uint32_t index = *edge_slot(edges, from, func);

	return index != 0 ? index : add(edges, from, func);
}

/* The count comes first: there are as many in a table that is as new, or newer. */
const struct wcm_node *wcm__edges_nodes(const struct wcm_edges *edges, uint32_t *count)
{
	*count = __atomic_load_n(&edges->node_count, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&edges->node, __ATOMIC_ACQUIRE);
}

const struct wcm_edge *wcm__edges_all(const struct wcm_edges *edges, uint32_t *count)
{
	*count = __atomic_load_n(&edges->edge_count, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&edges->edge, __ATOMIC_ACQUIRE);
}

void wcm__edges_hash_again(struct wcm_edges *edges)
{
	memset(edges->node_slot, 0, 2 * edges->node_room * sizeof(*edges->node_slot));
	for (uint32_t i = 1; i < edges->node_count; i++)
		*node_slot(edges, edges->node[i].func) = i;
	memset(edges->edge_slot, 0, 2 * edges->edge_room * sizeof(*edges->edge_slot));
	for (uint32_t i = 1; i < edges->edge_count; i++)
		*edge_slot(edges, edges->edge[i].from, edges->edge[i].func) = i;
}

void wcm__edges_rename(struct wcm_edges *edges, uint32_t index, uintptr_t func)
{
	const uintptr_t old = edges->node[index].func;

	edges->node[index].func = func;
	for (uint32_t i = 1; i < edges->edge_count; i++) {
		struct wcm_edge *edge = &edges->edge[i];

		edge->func = edge->func == old ? func : edge->func;
		edge->from = edge->from == old ? func : edge->from;
	}
}
