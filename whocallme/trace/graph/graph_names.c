/* SPDX-License-Identifier: MIT */
/* graph_names.c (SAFE) - names the functions of a graph in its file.
 *
 * Graphviz knows a node by its name, so no two may be the same.  Functions of one name are
 * told apart by their modules and, within a module, by their offsets.
 */
#include "trace/graph/graph_names.h"

#include <string.h>

#include "core/os/memory.h"
#include "format/dot.h"
#include "trace/names/kept_names.h"

enum { PIECE = 256 * 1024 };

/* Where texts are, one after the other. */
struct wcm_text_piece {
	struct wcm_text_piece *next;
	size_t used;
	struct wcm_line line;
	char text[];
};

static size_t size_of(const struct wcm_line *line)
{
	size_t size = 0;

	for (int i = 0; i < line->count; i++)
		size += line->part[i].iov_len;
	return size;
}

static bool add_piece(struct wcm_graph_names *names)
{
	struct wcm_text_piece *piece = wcm__map(PIECE);

	if (!piece)
		return false;
	piece->next = names->text;
	names->text = piece;
	return true;
}

/* NAME as WRITE_NAME shows it, to be kept; one that is too long for that as it is. */
static const char *keep(struct wcm_graph_names *names, const char *name,
			wcm_name_writer *write_name)
{
	struct wcm_line *line = &names->text->line;
	char *text, *at;
	size_t size;

	wcm__line_init(line, -1);
	write_name(line, name);
	size = size_of(line);
	if (line->failed || size >= PIECE - sizeof(*names->text))
		return name;
	if (size >= PIECE - sizeof(*names->text) - names->text->used &&
	    !add_piece(names))
		return NULL;
	text = at = names->text->text + names->text->used;
	for (int i = 0; i < line->count; i++) {
		memcpy(at, line->part[i].iov_base, line->part[i].iov_len);
		at += line->part[i].iov_len;
	}
	names->text->used += size + 1;
	return text;
}

static bool are_equal(const char *a, const char *b)
{
	const size_t size = strlen(a) + 1;

	return size == strlen(b) + 1 && memcmp(a, b, size) == 0;
}

/* Whether there is something else by now where PLACE was. */
static bool is_gone(const struct wcm_kept_name *kept,
		    const struct wcm_symbol *now)
{
	return !now->module || now->module_offset != kept->offset ||
	       !are_equal(now->module, kept->module);
}

static bool name_node(struct wcm_graph_names *names, uint32_t index,
		      const struct wcm_node *node, wcm_name_writer *write_name)
{
	struct wcm_graph_name *name = &names->name[index];
	const char *text = NULL;
	struct wcm_symbol symbol;

	if (wcm_symbol_peek(node->func, &symbol) == WCM_OK)
		text = symbol.name;
	/* It was asked about while it was there, and its file with it. */
	if (node->kept && node->kept->name)
		text = node->kept->name;
	name->module = symbol.module;
	name->offset = symbol.module ? symbol.module_offset : node->func;
	if (node->kept && is_gone(node->kept, &symbol)) {
		text = node->kept->name;
		name->module = node->kept->module;
		name->offset = node->kept->offset;
	}
	if (text)
		name->text = keep(names, text, write_name);
	return !text || name->text;
}

static uint32_t hash(uint32_t value, const char *text)
{
	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 16777619u;
	return value;
}

static const char *module_of(const struct wcm_graph_name *name)
{
	return name->module ? wcm__dot_base(name->module) : "";
}

static bool is_same(const struct wcm_graph_name *a, const struct wcm_graph_name *b,
		    bool by_module)
{
	return are_equal(a->text, b->text) &&
	       (!by_module || are_equal(module_of(a), module_of(b)));
}

/* Have those of one name, or of one name and module, know it.  SLOT is of twice the
 * names at least, a power of two, and zero. */
static void find_namesakes(struct wcm_graph_names *names, uint32_t *slot,
			   uint32_t slots, bool by_module)
{
	for (uint32_t i = 1; i < names->count; i++) {
		struct wcm_graph_name *name = &names->name[i], *other = NULL;
		uint32_t at;

		if (!name->text)
			continue;
		at = hash(2166136261u, name->text);
		if (by_module)
			at = hash(at, module_of(name));
		for (at &= slots - 1; slot[at] != 0; at = (at + 1) & (slots - 1)) {
			other = &names->name[slot[at]];
			if (is_same(name, other, by_module))
				break;
		}
		if (slot[at] == 0)
			slot[at] = i;
		else if (by_module)
			name->neighbour = other->neighbour = true;
		else
			name->namesake = other->namesake = true;
	}
}

static uint32_t count_slots(uint32_t count)
{
	uint32_t slots = 256;

	while (slots < 2 * count)
		slots *= 2;
	return slots;
}

static void add_up(struct wcm_graph_names *names, struct wcm_edges *edges)
{
	for (uint32_t i = 1; i < edges->edge_count; i++) {
		const struct wcm_edge *edge = &edges->edge[i];
		struct wcm_graph_name *to = &names->name[edge->node];

		to->calls += edge->calls;
		to->self += edge->self;
		to->total += edge->total;
		if (edge->calls || edge->self || edge->total)
			to->shown = names->name[wcm__edges_node(edges, edge->from)].shown =
				true;
	}
}

bool wcm__graph_names_make(struct wcm_graph_names *names,
			   struct wcm_edges *edges,
			   wcm_name_writer *write_name)
{
	const uint32_t slots = count_slots(edges->node_count);
	uint32_t *slot;

	*names = (struct wcm_graph_names){ .count = edges->node_count };
	names->size = names->count * sizeof(*names->name) + slots * 2 * sizeof(*slot);
	names->name = wcm__map(names->size);
	if (!names->name || !add_piece(names))
		return false;
	for (uint32_t i = 1; i < names->count; i++)
		if (!name_node(names, i, &edges->node[i], write_name))
			return false;
	slot = (uint32_t *)(names->name + names->count);
	find_namesakes(names, slot, slots, false);
	find_namesakes(names, slot + slots, slots, true);
	add_up(names, edges);
	return true;
}

void wcm__graph_names_free(struct wcm_graph_names *names)
{
	struct wcm_text_piece *piece, *next;

	for (piece = names->text; piece; piece = next) {
		next = piece->next;
		wcm__unmap(piece, PIECE);
	}
	if (names->name)
		wcm__unmap(names->name, names->size);
}
