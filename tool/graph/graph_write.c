/* SPDX-License-Identifier: MIT */
/* graph_write.c - writes a graph of calls as a drawing, in Graphviz' language.
 *
 * The more of the time was a function's own, the redder it is; the more of it was
 * spent in calls from one function to another, the thicker the arrow.  What it was made
 * of is in the attributes calls, self, total, waits, module and file, for graph_read.c.
 */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "format/dot.h"

struct output {
	struct wcm_words words; /* come first: empty() */
	FILE *file;
};

enum { MOST_BOXES = 40 /* that a reader takes in */ };

struct writer {
	const struct graph *graph;
	const struct graph_style *style;
	struct wcm_dot *dot;
	uint64_t time, calls; /* of all */
	uint64_t waiting;     /* of that time */
	bool *kept;           /* edges, then nodes, whose share is above what is cut */
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

/* The label of the whole, with what the drawing lacks and how waiting is shown; the label of a
 * drawing that was read may say the latter already. */
static void put_head(const struct writer *writer, const char *left_out)
{
	static const char blue[] = " in calls that wait (blue)";
	const char *label = writer->graph->label ? writer->graph->label : "";
	const bool waits = writer->waiting > 0 && !strstr(label, blue);

	if (!*label && !*left_out && !waits)
		return;
	put(writer, "\tlabel=\"");
	wcm__dot_string(writer->dot, label);
	if (*left_out) {
		put(writer, *label ? "; left out: " : "left out: ");
		put(writer, left_out);
	}
	if (waits) {
		put(writer, *label || *left_out ? "; " : "");
		wcm__words_duration(writer->dot->out, writer->waiting);
		put(writer, blue);
	}
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

/* The share of an edge or, after all edges, of a node, in percent.  A node has one of its own where
 * there are times; without, only its edges tell. */
static double share_of(const struct writer *writer, size_t i)
{
	const struct graph *graph = writer->graph;

	if (i < graph->edge_count)
		return 100 * edge_share(writer, &graph->edges[i]);
	if (!writer->time)
		return 100;
	return 100 * share(graph->nodes[i - graph->edge_count].self, writer->time);
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

/* A function's own time makes it red, by the square root of its share of all work: a tenth shows
 * well.  Time in calls that wait makes these blue, by their share of that. */
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

	snprintf(colour, sizeof(colour), "%s %.3f 1.000", node->waits ? "0.580" : "0.000",
		 redness(share(node->self, node->waits ? writer->waiting :
							 writer->time - writer->waiting)));
	snprintf(of_all, sizeof(of_all), " (%.1f %%)", 100 * part);
	wcm__dot_node(writer->dot, &(struct wcm_dot_node){
		.name = { .text = node->name }, .calls = node->calls, .self = node->self,
		.total = node->total, .share = of_all, .colour = colour,
		.module = node->module, .file = node->file, .waits = node->waits,
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

/* A node that loses all its edges is not shown; one that has none, by its own share.  Returns how
 * many are. */
static size_t choose_nodes(const struct writer *writer)
{
	size_t count = 0;
	const struct graph *graph = writer->graph;

	memcpy(writer->shown, writer->kept + graph->edge_count, graph->node_count);
	for (size_t i = 0; i < graph->edge_count; i++) {
		writer->shown[graph->edges[i].from] = false;
		writer->shown[graph->edges[i].to] = false;
	}
	for (size_t i = 0; i < graph->edge_count; i++)
		if (writer->kept[i]) {
			writer->shown[graph->edges[i].from] = true;
			writer->shown[graph->edges[i].to] = true;
		}
	for (size_t i = 0; i < graph->node_count; i++)
		count += writer->shown[i];
	return count;
}

struct part {
	double share;
	size_t index; /* share_of() */
};

/* The largest first; the first of those that are alike. */
static int by_share(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static size_t keep_first(const struct writer *writer, const struct part *parts, size_t count,
			 size_t kept)
{
	for (size_t i = 0; i < count; i++)
		writer->kept[parts[i].index] = i < kept;
	return choose_nodes(writer);
}

/* Keeps as many of PARTS, the largest first, as make no more boxes than can be read, and says how
 * many they are. */
static size_t keep_most(const struct writer *writer, const struct part *parts, size_t count)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low + 1) / 2;

		if (keep_first(writer, parts, count, middle) > MOST_BOXES)
			high = middle - 1;
		else
			low = middle;
	}
	return low;
}

/* Cuts, where nobody says how much, as much as needs be; what that leaves out goes to LEFT_OUT. */
static void cut_by_itself(const struct writer *writer, char left_out[static GRAPH_LEFT_OUT])
{
	const struct graph *graph = writer->graph;
	const size_t count = graph->edge_count + graph->node_count;
	struct part *parts = calloc(count + 1, sizeof(*parts));

	for (size_t i = 0; parts && i < count; i++)
		parts[i] = (struct part){ share_of(writer, i), i };
	if (parts && keep_first(writer, parts, count, count) > MOST_BOXES) {
		size_t kept, shown;

		qsort(parts, count, sizeof(*parts), by_share);
		kept = keep_most(writer, parts, count);
		shown = keep_first(writer, parts, count, kept);
		snprintf(left_out, GRAPH_LEFT_OUT, "%zu of %zu functions, up to %.3g %% of the %s",
			 graph->node_count - shown, graph->node_count, parts[kept].share,
			 writer->time ? "time" : "calls");
	}
	free(parts);
}

void graph_write(const struct graph *graph, const struct graph_style *style,
		 FILE *out, char left_out[static GRAPH_LEFT_OUT])
{
	char room[1024];
	struct output to = { .file = out };
	struct wcm_dot dot = { &to.words, .is_drawing = true, .has_times = true };
	struct writer writer = { .graph = graph, .style = style, .dot = &dot };
	struct member *members = calloc(graph->node_count + 1,
					sizeof(*members));

	writer.shown = calloc(graph->node_count + 1, sizeof(*writer.shown));
	writer.kept = calloc(graph->edge_count + graph->node_count + 1, sizeof(*writer.kept));
	*left_out = '\0';
	for (size_t i = 0; i < graph->node_count; i++) {
		writer.time += graph->nodes[i].self;
		writer.waiting += graph->nodes[i].waits ? graph->nodes[i].self : 0;
	}
	for (size_t i = 0; i < graph->edge_count; i++)
		writer.calls += graph->edges[i].calls;
	wcm__words_init(&to.words, room, sizeof(room));
	to.words.full = empty;
	wcm__dot_begin(&dot);
	for (size_t i = 0; writer.kept && i < graph->edge_count + graph->node_count; i++)
		writer.kept[i] = style->cut < 0 || share_of(&writer, i) >= style->cut;
	if (writer.shown && writer.kept && style->cut < 0)
		cut_by_itself(&writer, left_out);
	put_head(&writer, left_out);
	if (writer.shown && writer.kept && members) {
		choose_nodes(&writer);
		write_nodes(&writer, members);
		for (size_t i = 0; i < graph->edge_count; i++)
			if (writer.kept[i])
				write_edge(&writer, &graph->edges[i]);
	}
	put(&writer, "}\n");
	empty(&to.words);
	free(writer.shown);
	free(writer.kept);
	free(members);
}
