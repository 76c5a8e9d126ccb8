/* SPDX-License-Identifier: MIT */
/* graph_dot.c (SAFE) - writes a graph of calls in Graphviz' language.
 *
 * Times are in nanoseconds: "total" is from entry to exit, of the outermost call only
 * where a function calls itself; "self" is total without the calls that the function made.
 * The numbers are attributes and labels, so that dot(1) alone draws the file.  Colours and
 * widths depend on the share in the whole, and are drawn by "whocallme graph", which reads
 * the attributes.
 */
#include "trace/graph/graph_file.h"

#include <stddef.h>
#include <string.h>

#include "core/os/auxv.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "trace/engine/gate.h"
#include "trace/graph/graph_names.h"
#include "trace/graph/sink_graph.h"
#include "whocallme/trace.h"

enum { LONGEST_LABEL = 80 /* bytes */ };

static const char outside[] = "(not instrumented)";

struct writer {
	struct wcm_graph graph;
	struct wcm_graph_names names;
	struct wcm_graph_file file;
};

static void put(struct writer *writer, const char *text)
{
	wcm__words_text(&writer->file.out, text);
}

static void put_grouped(struct writer *writer, uint64_t value)
{
	wcm__words_unsigned(&writer->file.out, value);
}

static void put_time(struct writer *writer, uint64_t nanoseconds)
{
	wcm__words_duration(&writer->file.out, nanoseconds);
}

static void put_number(struct writer *writer, const char *name, uint64_t value)
{
	put(writer, name);
	put(writer, "=");
	wcm__words_id(&writer->file.out, (int64_t)value);
}

static void put_quoted(struct writer *writer, const char *text)
{
	wcm__words_escaped(&writer->file.out, WCM_ESCAPE_DOT, text, strlen(text));
}

static void put_module_offset(struct writer *writer, const struct wcm_graph_name *name)
{
	if (name->module) {
		put_quoted(writer, wcm__graph_base(name->module));
		put(writer, "+");
	}
	wcm__words_hex(&writer->file.out, name->offset);
}

/* The function of NODE, as Graphviz knows it. */
static void put_node(struct writer *writer, uint32_t node)
{
	const struct wcm_graph_name *name = &writer->names.name[node];

	if (node == 0) {
		put(writer, outside);
	} else if (!name->text) {
		put_module_offset(writer, name);
	} else {
		put_quoted(writer, name->text);
		if (name->namesake)
			put(writer, "@");
		if (name->neighbour)
			put_module_offset(writer, name);
		else if (name->namesake && name->module)
			put_quoted(writer, wcm__graph_base(name->module));
	}
}

/* What is seen of it: a name of many template arguments would fill the picture. */
static void put_label(struct writer *writer, uint32_t node)
{
	const char *text = writer->names.name[node].text;
	size_t length = LONGEST_LABEL;

	if (!text || strlen(text) <= LONGEST_LABEL) {
		put_node(writer, node);
		return;
	}
	while (((unsigned char)text[length] & 0xc0) == 0x80)
		length--; /* not amid a character */
	wcm__words_escaped(&writer->file.out, WCM_ESCAPE_DOT, text, length);
	put(writer, "...");
}

static void put_times(struct writer *writer, uint64_t self, uint64_t total)
{
	if (wcm__gate.flags & WCM_TRACE_NO_TIMES)
		return;
	put_number(writer, ", self", self);
	put_number(writer, ", total", total);
}

static void write_node(struct writer *writer, uint32_t node)
{
	const struct wcm_graph_name *name = &writer->names.name[node];

	put(writer, "\t\"");
	put_node(writer, node);
	put(writer, "\" [label=\"");
	put_label(writer, node);
	put(writer, "\\n");
	put_grouped(writer, name->calls);
	put(writer, name->calls == 1 ? " call" : " calls");
	if (name->self) {
		put(writer, "\\nself ");
		put_time(writer, name->self);
	}
	put_number(writer, "\", calls", name->calls);
	put_times(writer, name->self, name->total);
	if (name->module) {
		put(writer, ", module=\"");
		put_quoted(writer, name->module);
		put(writer, "\"");
	}
	put(writer, "];\n");
}

static void write_edge(struct writer *writer, const struct wcm_edge *edge)
{
	if (!edge->calls && !edge->self && !edge->total)
		return;
	put(writer, "\t\"");
	put_node(writer, wcm__edges_node(&writer->graph.edges, edge->from));
	put(writer, "\" -> \"");
	put_node(writer, edge->node);
	/* Without the spaces the arrow would touch a digit. */
	put(writer, "\" [label=\"  ");
	put_grouped(writer, edge->calls);
	if (edge->total) {
		put(writer, "  \\n  ");
		put_time(writer, edge->total);
	}
	put_number(writer, "  \", calls", edge->calls);
	put_times(writer, edge->self, edge->total);
	put(writer, "];\n");
}

/* What each thread that is there has had, for those who plan its stack. */
static void write_threads(struct writer *writer)
{
	const struct wcm_tracer *tracer;

	put(writer, "\tthreads=\"");
	for (tracer = wcm__tracer_first(); tracer; tracer = tracer->next) {
		if (!wcm__graph_has(tracer))
			continue;
		wcm__words_id(&writer->file.out, tracer->tid);
		put_number(writer, ": depth", tracer->deepest);
		put_number(writer, " stack", tracer->most_stack);
		put(writer, "; ");
		if (tracer->deepest > writer->graph.deepest)
			writer->graph.deepest = tracer->deepest;
		if (tracer->most_stack > writer->graph.most_stack)
			writer->graph.most_stack = tracer->most_stack;
	}
	wcm__words_id(&writer->file.out, writer->graph.ended);
	put(writer, " ended\";\n");
}

static const char *program(void)
{
	const char *path = wcm__auxv_path();

	return path ? wcm__graph_base(path) : "program";
}

static void write_head(struct writer *writer)
{
	struct wcm_trace_counts counts;

	wcm_trace_count(&counts);
	put(writer, "digraph calls {\n"
		    "\tfontname=\"sans-serif\";\n"
		    "\tnode [shape=box, fontname=\"sans-serif\"];\n"
		    "\tedge [fontname=\"sans-serif\", fontsize=10];\n");
	write_threads(writer);
	put_number(writer, "\tdepth", writer->graph.deepest);
	put_number(writer, "; stack", writer->graph.most_stack);
	put_number(writer, "; calls", counts.calls);
	put_number(writer, "; lost", counts.lost + writer->graph.lost);
	put_number(writer, "; unwound", counts.unwound);
	put(writer, ";\n\tlabel=\"");
	put_quoted(writer, program());
	put(writer, ": ");
	put_grouped(writer, counts.calls);
	put(writer, " calls, at most ");
	put_grouped(writer, writer->graph.deepest);
	put(writer, " deep, in ");
	put_grouped(writer, writer->graph.most_stack);
	put(writer, " bytes of stack\";\n");
}

static void write_all(struct writer *writer)
{
	const struct wcm_graph *graph = &writer->graph;

	write_head(writer);
	if (writer->names.name[0].shown) {
		put(writer, "\t\"");
		put(writer, outside);
		put(writer, "\" [style=dashed];\n");
	}
	for (uint32_t i = 1; i < writer->names.count; i++)
		if (writer->names.name[i].shown)
			write_node(writer, i);
	for (uint32_t i = 1; i < graph->edges.edge_count; i++)
		write_edge(writer, &graph->edges.edge[i]);
	put(writer, "}\n");
}

/* A child that has called nothing leaves no file. */
static bool write_graph(struct writer *writer, wcm_name_writer *write_name)
{
	const bool made = wcm__graph_gather(&writer->graph) &&
			  wcm__graph_names_make(&writer->names,
						&writer->graph.edges, write_name);
	bool written = made;

	if (made && (writer->graph.edges.edge_count > 1 ||
		     wcm__graph_file_is_ours())) {
		wcm__graph_file_open(&writer->file);
		writer->file.is_empty = writer->graph.edges.edge_count <= 1;
		write_all(writer);
		written = wcm__graph_file_close(&writer->file);
	}
	wcm__graph_names_free(&writer->names);
	wcm__edges_free(&writer->graph.edges);
	return written;
}

/* The process is to hear nothing of a pipe without a reader or a file that may not
 * grow. */
static bool write_unheard(struct writer *writer, wcm_name_writer *write_name)
{
	const struct wcm_unheard unheard = wcm__mask_hush();
	const bool written = write_graph(writer, write_name);

	wcm__mask_hear(unheard, true);
	return written;
}

bool wcm__graph_write(wcm_name_writer *write_name)
{
	struct writer *writer = wcm__map(sizeof(*writer));
	bool written;

	if (!writer)
		return false;
	written = write_unheard(writer, write_name);
	wcm__unmap(writer, sizeof(*writer));
	return written;
}
