/* SPDX-License-Identifier: MIT */
/* graph_dot.c (SAFE) - writes a graph of calls in Graphviz' language.
 *
 * Times are in nanoseconds: "total" is from entry to exit, of the outermost call only
 * where a function calls itself; "self" is total without the calls that the function made.
 * Colours and widths depend on the share in the whole, and are drawn by "whocallme graph",
 * which reads the attributes.
 */
#include "trace/graph/graph_file.h"

#include <stddef.h>
#include <string.h>

#include "core/os/auxv.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "format/dot.h"
#include "trace/engine/gate.h"
#include "trace/graph/graph_names.h"
#include "trace/graph/sink_graph.h"
#include "whocallme/trace.h"

static const char outside[] = "(not instrumented)";

struct writer {
	struct wcm_dot dot;
	struct wcm_graph graph;
	struct wcm_graph_names names;
	struct wcm_graph_file file;
};

static void put(struct writer *writer, const char *text)
{
	wcm__words_text(writer->dot.out, text);
}

static void put_number(struct writer *writer, const char *name, uint64_t value)
{
	put(writer, name);
	put(writer, "=");
	wcm__words_id(writer->dot.out, (int64_t)value);
}

/* The function of NODE, as Graphviz knows it. */
static struct wcm_dot_name name_of(const struct writer *writer, uint32_t node)
{
	const struct wcm_graph_name *name = &writer->names.name[node];

	if (node == 0)
		return (struct wcm_dot_name){ .text = outside };
	return (struct wcm_dot_name){
		.text = name->text,
		.module = !name->text || name->namesake ? name->module : NULL,
		.is_apart = name->namesake,
		.has_offset = !name->text || name->neighbour,
		.offset = name->offset,
	};
}

static void write_node(struct writer *writer, uint32_t node)
{
	const struct wcm_graph_name *name = &writer->names.name[node];
	const struct wcm_dot_node shown = {
		.name = name_of(writer, node), .calls = name->calls, .self = name->self,
		.total = name->total, .module = name->module,
	};

	wcm__dot_node(&writer->dot, &shown);
}

static void write_edge(struct writer *writer, const struct wcm_edge *edge)
{
	const struct wcm_dot_edge shown = {
		.from = name_of(writer, wcm__edges_node(&writer->graph.edges, edge->from)),
		.to = name_of(writer, edge->node), .calls = edge->calls, .self = edge->self,
		.total = edge->total,
	};

	if (edge->calls || edge->self || edge->total)
		wcm__dot_edge(&writer->dot, &shown);
}

/* What each thread that is there has had, for those who plan its stack. */
static void write_threads(struct writer *writer)
{
	const struct wcm_tracer *tracer;

	put(writer, "\tthreads=\"");
	for (tracer = wcm__tracer_first(); tracer; tracer = tracer->next) {
		if (!wcm__graph_has(tracer))
			continue;
		wcm__words_id(writer->dot.out, tracer->tid);
		put_number(writer, ": depth", tracer->deepest);
		put_number(writer, " stack", tracer->most_stack);
		put(writer, "; ");
		if (tracer->deepest > writer->graph.deepest)
			writer->graph.deepest = tracer->deepest;
		if (tracer->most_stack > writer->graph.most_stack)
			writer->graph.most_stack = tracer->most_stack;
	}
	wcm__words_id(writer->dot.out, writer->graph.ended);
	put(writer, " ended\";\n");
}

static const char *program(void)
{
	const char *path = wcm__auxv_path();

	return path ? wcm__dot_base(path) : "program";
}

static void write_head(struct writer *writer)
{
	struct wcm_trace_counts counts;

	wcm_trace_count(&counts);
	wcm__dot_begin(&writer->dot);
	write_threads(writer);
	put_number(writer, "\tdepth", writer->graph.deepest);
	put_number(writer, "; stack", writer->graph.most_stack);
	put_number(writer, "; calls", counts.calls);
	put_number(writer, "; lost", counts.lost + writer->graph.lost);
	put_number(writer, "; unwound", counts.unwound);
	put(writer, ";\n\tlabel=\"");
	wcm__dot_string(&writer->dot, program());
	put(writer, ": ");
	wcm__words_unsigned(writer->dot.out, counts.calls);
	put(writer, " calls, at most ");
	wcm__words_unsigned(writer->dot.out, writer->graph.deepest);
	put(writer, " deep, in ");
	wcm__words_unsigned(writer->dot.out, writer->graph.most_stack);
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
		writer->dot.out = &writer->file.out;
		writer->dot.has_times = !(wcm__gate.flags & WCM_TRACE_NO_TIMES);
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
