/* SPDX-License-Identifier: MIT */
/* graph.c - who called whom, how often and for how long. */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static size_t *node_slot(const struct graph *graph, const char *name)
{
	size_t mask = graph->node_slot_count - 1, at = hash_slot(name, strlen(name)) & mask;

	while (graph->node_slots[at] &&
	       strcmp(graph->nodes[graph->node_slots[at] - 1].name, name) != 0)
		at = (at + 1) & mask;
	return &graph->node_slots[at];
}

static size_t *edge_slot(const struct graph *graph, size_t from, size_t to)
{
	const size_t pair[] = { from, to };
	size_t mask = graph->edge_slot_count - 1;
	size_t at = hash_slot(pair, sizeof(pair)) & mask;

	for (; graph->edge_slots[at]; at = (at + 1) & mask) {
		const struct graph_edge *edge =
			&graph->edges[graph->edge_slots[at] - 1];

		if (edge->from == from && edge->to == to)
			break;
	}
	return &graph->edge_slots[at];
}

/* Twice the room in *ALL, of elements of SIZE bytes, and empty slots for them. */
static bool grow(void **all, size_t *room, size_t size, size_t **slots,
		 size_t *slot_count)
{
	size_t more_room = *room ? 2 * *room : 128;
	void *more = realloc(*all, more_room * size);
	size_t *more_slots = calloc(2 * more_room, sizeof(*more_slots));

	if (more)
		*all = more;
	if (!more || !more_slots) {
		free(more_slots);
		return false;
	}
	free(*slots);
	*slots = more_slots;
	*slot_count = 2 * more_room;
	*room = more_room;
	return true;
}

static bool grow_nodes(struct graph *graph)
{
	void *all = graph->nodes;
	bool grown = grow(&all, &graph->node_room, sizeof(*graph->nodes),
			  &graph->node_slots, &graph->node_slot_count);

	graph->nodes = all;
	for (size_t i = 0; grown && i < graph->node_count; i++)
		*node_slot(graph, graph->nodes[i].name) = i + 1;
	return grown;
}

static bool grow_edges(struct graph *graph)
{
	void *all = graph->edges;
	bool grown = grow(&all, &graph->edge_room, sizeof(*graph->edges),
			  &graph->edge_slots, &graph->edge_slot_count);

	graph->edges = all;
	for (size_t i = 0; grown && i < graph->edge_count; i++)
		*edge_slot(graph, graph->edges[i].from, graph->edges[i].to) = i + 1;
	return grown;
}

size_t graph_node(struct graph *graph, const char *name)
{
	char *copy;
	size_t *slot;

	if (graph->node_count == graph->node_room && !grow_nodes(graph)) {
		graph->failed = true;
		return 0;
	}
	slot = node_slot(graph, name);
	if (*slot)
		return *slot - 1;
	copy = strdup(name);
	if (!copy) {
		graph->failed = true;
		return 0;
	}
	graph->nodes[graph->node_count++] = (struct graph_node){ .name = copy };
	*slot = graph->node_count;
	return *slot - 1;
}

struct graph_edge *graph_edge(struct graph *graph, size_t from, size_t to)
{
	size_t *slot;

	if (graph->edge_count == graph->edge_room && !grow_edges(graph)) {
		graph->failed = true;
		return NULL;
	}
	slot = edge_slot(graph, from, to);
	if (!*slot) {
		graph->edges[graph->edge_count++] =
			(struct graph_edge){ .from = from, .to = to };
		*slot = graph->edge_count;
	}
	return &graph->edges[*slot - 1];
}

void graph_free(struct graph *graph)
{
	for (size_t i = 0; i < graph->node_count; i++) {
		free(graph->nodes[i].name);
		free(graph->nodes[i].module);
		free(graph->nodes[i].file);
	}
	free(graph->nodes);
	free(graph->edges);
	free(graph->node_slots);
	free(graph->edge_slots);
	free(graph->label);
}
