/* SPDX-License-Identifier: MIT */
/* dot.c (SAFE) - writes a graph of calls in Graphviz' language.
 *
 * The numbers are attributes and labels, so that dot(1) alone draws the file, and "whocallme
 * graph" reads it.
 */
#include "format/dot.h"

static void put(struct wcm_dot *dot, const char *text)
{
	wcm__words_text(dot->out, text);
}

static void put_comma(struct wcm_dot *dot)
{
	put(dot, dot->is_drawing ? "," : ", ");
}

static void put_number(struct wcm_dot *dot, const char *name, uint64_t value)
{
	put_comma(dot);
	put(dot, name);
	wcm__words_digits(dot->out, value, 10, 1);
}

static void put_string(struct wcm_dot *dot, const char *name, const char *value)
{
	if (!value)
		return;
	put_comma(dot);
	put(dot, name);
	wcm__dot_string(dot, value);
	put(dot, "\"");
}

static void put_name(struct wcm_dot *dot, const struct wcm_dot_name *name)
{
	if (name->text)
		wcm__dot_string(dot, name->text);
	if (name->text && name->is_apart)
		put(dot, "@");
	if (name->module)
		wcm__dot_string(dot, wcm__dot_base(name->module));
	if (name->module && name->has_offset)
		put(dot, "+");
	if (name->has_offset)
		wcm__words_hex(dot->out, name->offset);
}

/* What is seen of it: a name of many template arguments would fill the picture. */
static void put_label(struct wcm_dot *dot, const struct wcm_dot_name *name)
{
	enum { LONGEST = 80 /* bytes */ };
	size_t length = LONGEST;

	if (dot->is_drawing || !name->text || strlen(name->text) <= LONGEST) {
		put_name(dot, name);
		return;
	}
	while (length > 0 && ((unsigned char)name->text[length] & 0xc0) == 0x80)
		length--; /* not amid a character */
	wcm__words_escaped(dot->out, WCM_ESCAPE_DOT, name->text, length);
	put(dot, "...");
}

void wcm__dot_begin(struct wcm_dot *dot)
{
	put(dot, "digraph calls {\n\tfontname=\"sans-serif\";\n\tnode [shape=box");
	put(dot, dot->is_drawing ? ",style=filled" : "");
	put_string(dot, "fontname=\"", "sans-serif");
	put(dot, "];\n\tedge [fontname=\"sans-serif\"");
	put_number(dot, "fontsize=", 10);
	put(dot, "];\n");
}

void wcm__dot_node(struct wcm_dot *dot, const struct wcm_dot_node *node)
{
	put(dot, "\t\"");
	put_name(dot, &node->name);
	put(dot, "\" [label=\"");
	put_label(dot, &node->name);
	if (node->calls || !dot->is_drawing) {
		put(dot, "\\n");
		wcm__words_unsigned(dot->out, node->calls);
		put(dot, node->calls == 1 ? " call" : " calls");
	}
	if (node->self) {
		put(dot, "\\nself ");
		wcm__words_duration(dot->out, node->self);
		put(dot, node->share ? node->share : "");
	}
	if (dot->is_drawing && node->total > node->self) {
		put(dot, "\\ntotal ");
		wcm__words_duration(dot->out, node->total);
	}
	put(dot, "\"");
	put_number(dot, "calls=", node->calls);
	if (dot->has_times) {
		put_number(dot, "self=", node->self);
		put_number(dot, "total=", node->total);
	}
	if (node->waits)
		put_number(dot, "waits=", 1);
	put_string(dot, "fillcolor=\"", node->colour);
	put_string(dot, "module=\"", node->module);
	put_string(dot, "file=\"", node->file);
	put(dot, "];\n");
}

/* Without the spaces the arrow would touch a digit. */
void wcm__dot_edge(struct wcm_dot *dot, const struct wcm_dot_edge *edge)
{
	put(dot, "\t\"");
	put_name(dot, &edge->from);
	put(dot, "\" -> \"");
	put_name(dot, &edge->to);
	put(dot, "\" [label=\"  ");
	wcm__words_unsigned(dot->out, edge->calls);
	if (edge->total) {
		put(dot, "  \\n  ");
		wcm__words_duration(dot->out, edge->total);
	}
	put(dot, "  \"");
	put_number(dot, "calls=", edge->calls);
	if (dot->has_times && !dot->is_drawing)
		put_number(dot, "self=", edge->self);
	if (dot->has_times)
		put_number(dot, "total=", edge->total);
	if (edge->width) {
		put(dot, ",penwidth=");
		put(dot, edge->width);
	}
	put(dot, "];\n");
}
