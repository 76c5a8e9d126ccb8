/* SPDX-License-Identifier: MIT */
/* graph_write.c - writes a graph of calls as a drawing, in Graphviz' language.
 *
 * The more of the time was a function's own, the redder it is; the more of it was
 * spent in calls from one function to another, the thicker the arrow.  What it was made
 * of is in the attributes calls, self, total, module and file, for graph_read.c.
 */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "format/dot.h"

struct output {
	struct wcm_words words; /* come first: empty() */
	FILE *file;
};

struct writer {
	const struct graph *graph;
	const struct graph_style *style;
	struct wcm_dot *dot;
	uint64_t time, calls; /* of all */
	bool *shown;          /* nodes that are */
};

static void empty(struct wcm_words *words)
{
	const struct output *output = (struct output *)(void *)words;

	fwrite(words->begin, 1, wcm__words_length(words), output->file);
	words->at = words->begin;
}

static void put(const struct writer *writer, const char *text)
{
	wcm__words_text(writer->dot->out, text);
}

static void put_label(const struct writer *writer, const char *label)
{
	put(writer, "\tlabel=\"");
	wcm__dot_string(writer->dot, label);
	put(writer, "\";\n");
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static double edge_share(const struct writer *writer,
			 const struct graph_edge *edge)
{
	return writer->time ? share(edge->total, writer->time) :
			      share(edge->calls, writer->calls);
}

static bool is_kept(const struct writer *writer, const struct graph_edge *edge)
{
	return 100 * edge_share(writer, edge) >= writer->style->cut;
}

static const char *cluster_of(const struct writer *writer,
			      const struct graph_node *node)
{
	switch (writer->style->clusters) {
	case CLUSTER_FILE:
		return node->file ? node->file : "";
	case CLUSTER_MODULE:
		return node->module ? node->module : "";
	default:
		return "";
	}
}

/* A function's own time makes it red, by the square root of its share: a tenth shows
 * well. */
static double redness(double part)
{
	double root = part;

	for (int i = 0; i < 20 && part > 0; i++)
		root = (root + part / root) / 2;
	return root;
}

static void write_node(const struct writer *writer, const struct graph_node *node)
{
	const double part = share(node->self, writer->time);
	char colour[32], of_all[16];

	snprintf(colour, sizeof(colour), "0.000 %.3f 1.000", redness(part));
	snprintf(of_all, sizeof(of_all), " (%.1f %%)", 100 * part);
	wcm__dot_node(writer->dot, &(struct wcm_dot_node){
		.name = { .text = node->name }, .calls = node->calls, .self = node->self,
		.total = node->total, .share = of_all, .colour = colour,
		.module = node->module, .file = node->file,
	});
}

static void write_edge(const struct writer *writer, const struct graph_edge *edge)
{
	char width[16];

	snprintf(width, sizeof(width), "%.2f", 1 + 4 * edge_share(writer, edge));
	wcm__dot_edge(writer->dot, &(struct wcm_dot_edge){
		.from = { .text = writer->graph->nodes[edge->from].name },
		.to = { .text = writer->graph->nodes[edge->to].name },
		.calls = edge->calls, .total = edge->total, .width = width,
	});
}

struct member {
	const char *cluster;
	size_t node;
};

static int by_cluster(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	int order = strcmp(a->cluster, b->cluster);

	return order ? order : a->node < b->node ? -1 : a->node > b->node;
}

/* Nodes of no cluster come first, as the empty name does. */
static void write_nodes(const struct writer *writer, struct member *members)
{
	const struct graph *graph = writer->graph;
	const char *open = "";
	int64_t clusters = 0;

	for (size_t i = 0; i < graph->node_count; i++)
		members[i] = (struct member){
			cluster_of(writer, &graph->nodes[i]), i,
		};
	if (graph->node_count)
		qsort(members, graph->node_count, sizeof(*members), by_cluster);
	for (size_t i = 0; i < graph->node_count; i++) {
		if (!writer->shown[members[i].node])
			continue;
		if (strcmp(members[i].cluster, open) != 0) {
			if (*open)
				put(writer, "\t}\n");
			open = members[i].cluster;
			put(writer, "\tsubgraph cluster_");
			wcm__words_id(writer->dot->out, clusters++);
			put(writer, " {\n");
			put_label(writer, wcm__dot_base(open));
		}
		write_node(writer, &graph->nodes[members[i].node]);
	}
	if (*open)
		put(writer, "\t}\n");
}

/* A node that loses all its edges is not shown; one that has none, by its own share. */
static void choose_nodes(const struct writer *writer)
{
	const struct graph *graph = writer->graph;

	for (size_t i = 0; i < graph->node_count; i++)
		writer->shown[i] = !writer->time ||
			100 * share(graph->nodes[i].self, writer->time) >=
				writer->style->cut;
	for (size_t i = 0; i < graph->edge_count; i++) {
		writer->shown[graph->edges[i].from] = false;
		writer->shown[graph->edges[i].to] = false;
	}
	for (size_t i = 0; i < graph->edge_count; i++)
		if (is_kept(writer, &graph->edges[i])) {
			writer->shown[graph->edges[i].from] = true;
			writer->shown[graph->edges[i].to] = true;
		}
}

void graph_write(const struct graph *graph, const struct graph_style *style,
		 FILE *out)
{
	char room[1024];
	struct output to = { .file = out };
	struct wcm_dot dot = { &to.words, .is_drawing = true, .has_times = true };
	struct writer writer = { .graph = graph, .style = style, .dot = &dot };
	struct member *members = calloc(graph->node_count + 1,
					sizeof(*members));

	writer.shown = calloc(graph->node_count + 1, sizeof(*writer.shown));
	for (size_t i = 0; i < graph->node_count; i++)
		writer.time += graph->nodes[i].self;
	for (size_t i = 0; i < graph->edge_count; i++)
		writer.calls += graph->edges[i].calls;
	wcm__words_init(&to.words, room, sizeof(room));
	to.words.full = empty;
	wcm__dot_begin(&dot);
	if (graph->label)
		put_label(&writer, graph->label);
	if (writer.shown && members) {
		choose_nodes(&writer);
		write_nodes(&writer, members);
		for (size_t i = 0; i < graph->edge_count; i++)
			if (is_kept(&writer, &graph->edges[i]))
				write_edge(&writer, &graph->edges[i]);
	}
	put(&writer, "}\n");
	empty(&to.words);
	free(writer.shown);
	free(members);
}
