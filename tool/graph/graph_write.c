/* SPDX-License-Identifier: MIT */
/* graph_write.c - writes a graph of calls as a drawing, in Graphviz' language.
 *
 * The more of the time was a function's own, the redder it is; the more of it was
 * spent in calls from one function to another, the thicker the arrow.  What it was made
 * of is in the attributes calls, self, total, module and file, for graph_read.c.
 */
#include "graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/escape.h"

struct writer {
	const struct graph *graph;
	const struct graph_style *style;
	FILE *out;
	uint64_t time, calls; /* of all */
	bool *shown;          /* nodes that are */
};

static void put_quoted(FILE *out, const char *text)
{
	escape(out, WCM_ESCAPE_DOT, text, strlen(text));
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
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
static void write_colour(const struct writer *writer, const struct graph_node *node)
{
	double part = share(node->self, writer->time), root = part;

	for (int i = 0; i < 20 && part > 0; i++)
		root = (root + part / root) / 2;
	fprintf(writer->out, ",fillcolor=\"0.000 %.3f 1.000\"", root);
}

static void write_node(const struct writer *writer, const struct graph_node *node)
{
	char number[NUMBER_SIZE];

	fputs("\t\"", writer->out);
	put_quoted(writer->out, node->name);
	fputs("\" [label=\"", writer->out);
	put_quoted(writer->out, node->name);
	if (node->calls)
		fprintf(writer->out, "\\n%s call%s", number_grouped(node->calls, number),
			node->calls == 1 ? "" : "s");
	if (node->self)
		fprintf(writer->out, "\\nself %s (%.1f %%)",
			duration_brief(node->self, number),
			100 * share(node->self, writer->time));
	fprintf(writer->out, "\",calls=%" PRIu64 ",self=%" PRIu64 ",total=%" PRIu64,
		node->calls, node->self, node->total);
	write_colour(writer, node);
	if (node->module) {
		fputs(",module=\"", writer->out);
		put_quoted(writer->out, node->module);
		putc('"', writer->out);
	}
	if (node->file) {
		fputs(",file=\"", writer->out);
		put_quoted(writer->out, node->file);
		putc('"', writer->out);
	}
	fputs("];\n", writer->out);
}

static void write_edge(const struct writer *writer, const struct graph_edge *edge)
{
	char number[NUMBER_SIZE];

	fputs("\t\"", writer->out);
	put_quoted(writer->out, writer->graph->nodes[edge->from].name);
	fputs("\" -> \"", writer->out);
	put_quoted(writer->out, writer->graph->nodes[edge->to].name);
	/* A thick arrow would cover a digit without the spaces. */
	fprintf(writer->out, "\" [label=\"  %s  ", number_grouped(edge->calls, number));
	if (edge->total)
		fprintf(writer->out, "\\n  %s  ", duration_brief(edge->total, number));
	fprintf(writer->out, "\",calls=%" PRIu64 ",total=%" PRIu64
		",penwidth=%.2f];\n", edge->calls, edge->total,
		1 + 4 * edge_share(writer, edge));
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
	size_t clusters = 0;

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
				fputs("\t}\n", writer->out);
			open = members[i].cluster;
			fprintf(writer->out, "\tsubgraph cluster_%zu {\n\tlabel=\"",
				clusters++);
			put_quoted(writer->out, base(open));
			fputs("\";\n", writer->out);
		}
		write_node(writer, &graph->nodes[members[i].node]);
	}
	if (*open)
		fputs("\t}\n", writer->out);
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

static void write_label(const struct writer *writer)
{
	if (!writer->graph->label)
		return;
	fputs("\tlabel=\"", writer->out);
	put_quoted(writer->out, writer->graph->label);
	fputs("\";\n", writer->out);
}

void graph_write(const struct graph *graph, const struct graph_style *style,
		 FILE *out)
{
	struct writer writer = { .graph = graph, .style = style, .out = out };
	struct member *members = calloc(graph->node_count + 1,
					sizeof(*members));

	writer.shown = calloc(graph->node_count + 1, sizeof(*writer.shown));
	for (size_t i = 0; i < graph->node_count; i++)
		writer.time += graph->nodes[i].self;
	for (size_t i = 0; i < graph->edge_count; i++)
		writer.calls += graph->edges[i].calls;
	fputs("digraph calls {\n\tfontname=\"sans-serif\";\n"
	      "\tnode [shape=box,style=filled,fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\",fontsize=10];\n", out);
	write_label(&writer);
	if (writer.shown && members) {
		choose_nodes(&writer);
		write_nodes(&writer, members);
		for (size_t i = 0; i < graph->edge_count; i++)
			if (is_kept(&writer, &graph->edges[i]))
				write_edge(&writer, &graph->edges[i]);
	}
	fputs("}\n", out);
	free(writer.shown);
	free(members);
}
