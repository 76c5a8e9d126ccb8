/* SPDX-License-Identifier: MIT */
/* graph.c - who called whom, how often and for how long. */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

static bool is_node(const void *graph, size_t number, const void *name)
{
	return strcmp(((const struct graph *)graph)->nodes[number - 1].name, name) == 0;
}

static bool is_edge(const void *graph, size_t number, const void *pair)
{
	const struct graph_edge *edge = &((const struct graph *)graph)->edges[number - 1];
	const size_t *ends = pair;

	return edge->from == ends[0] && edge->to == ends[1];
}

/* A place for one more, which is numbered from 1. */
static size_t add_node(struct graph *graph, const char *name)
{
	struct graph_node *nodes =
		grow(graph->nodes, graph->node_count, &graph->node_room, sizeof(*nodes));
	char *copy = nodes ? strdup(name) : NULL;

	if (nodes)
		graph->nodes = nodes;
	if (!copy)
		return 0;
	nodes[graph->node_count++] = (struct graph_node){ .name = copy };
	return graph->node_count;
}

static size_t add_edge(struct graph *graph, size_t from, size_t to)
{
	struct graph_edge *edges =
		grow(graph->edges, graph->edge_count, &graph->edge_room, sizeof(*edges));

	if (!edges)
		return 0;
	graph->edges = edges;
	edges[graph->edge_count++] = (struct graph_edge){ .from = from, .to = to };
	return graph->edge_count;
}

size_t graph_node(struct graph *graph, const char *name)
{
	const uint64_t key = hash_slot(name, strlen(name));
	size_t *number = numbers_at(&graph->node_numbers, key, is_node, graph, name);

	if (number && *number == 0)
		*number = add_node(graph, name);
	if (number && *number > 0)
		return *number - 1;
	graph->failed = true;
	return 0;
}

struct graph_edge *graph_edge(struct graph *graph, size_t from, size_t to)
{
	const size_t pair[] = { from, to };
	const uint64_t key = hash_slot(pair, sizeof(pair));
	size_t *number = numbers_at(&graph->edge_numbers, key, is_edge, graph, pair);

	if (number && *number == 0)
		*number = add_edge(graph, from, to);
	if (number && *number > 0)
		return &graph->edges[*number - 1];
	graph->failed = true;
	return NULL;
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
	numbers_free(&graph->node_numbers);
	numbers_free(&graph->edge_numbers);
	free(graph->label);
}
