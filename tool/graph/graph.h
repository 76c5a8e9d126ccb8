/* SPDX-License-Identifier: MIT */
/* graph.h - who called whom, how often and for how long. */
#ifndef WCM_TOOL_GRAPH_H
#define WCM_TOOL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/hash.h"

/* Times are in nanoseconds. */
struct graph_node {
	char *name;          /* each its own */
	char *module, *file; /* NULL: unknown */
	uint64_t calls, self, total;
	bool waits;          /* its own time is not work */
};

struct graph_edge {
	size_t from, to;     /* nodes */
	uint64_t calls, total;
};

struct graph {
	struct graph_node *nodes;
	size_t node_count, node_room;
	struct graph_edge *edges;
	size_t edge_count, edge_room;
	struct numbers node_numbers, edge_numbers; /* from 1 */
	char *label;         /* of the whole; NULL: none */
	bool failed;         /* memory was out */
};

/* The node called NAME, made if there is none; the first one where memory is out. */
size_t graph_node(struct graph *graph, const char *name);

/* The edge, made if there is none; NULL when out of memory. */
struct graph_edge *graph_edge(struct graph *graph, size_t from, size_t to);

void graph_free(struct graph *graph);

/* Add the nodes and edges of TEXT, which FILE holds in Graphviz' language.  False,
 * after a line on stderr, where it is not understood. */
bool graph_read(struct graph *graph, const char *file, const char *text);

enum graph_clusters { CLUSTER_NONE, CLUSTER_FILE, CLUSTER_MODULE };

struct graph_style {
	enum graph_clusters clusters;
	double cut; /* edges with a smaller share than this, in percent, are left out:
		     * of the time, or where none is known, of the calls.  Below 0: the
		     * least by which a reader can take in what is left */
};

/* What a cut that nobody has named leaves out: "12 of 52 functions, below 0.35 %"; empty:
 * nothing. */
enum { GRAPH_LEFT_OUT = 160 };

/* Write it in Graphviz' language. */
void graph_write(const struct graph *graph, const struct graph_style *style,
		 FILE *out, char left_out[static GRAPH_LEFT_OUT]);

#endif
