/* SPDX-License-Identifier: MIT */
/* dot.h (SAFE) - writes a graph of calls in Graphviz' language. */
#ifndef WCM_FORMAT_DOT_H
#define WCM_FORMAT_DOT_H

#include <string.h>

#include "format/words.h"

struct wcm_dot {
	struct wcm_words *out;
	bool is_drawing; /* the command draws: no blanks between attributes, labels of any length */
	bool has_times;
};

/* A function, by its own name, its place, or both. */
struct wcm_dot_name {
	const char *text;   /* NULL: it has none */
	const char *module; /* the path of its place's; or NULL */
	bool is_apart;      /* from another of that name */
	bool has_offset;    /* in its place */
	uint64_t offset;
};

/* Times are in nanoseconds.  What the command alone knows is NULL in a trace. */
struct wcm_dot_node {
	struct wcm_dot_name name;
	uint64_t calls, self, total;
	const char *share, *colour, *module, *file;
	bool waits; /* its own time is not work */
};

struct wcm_dot_edge {
	struct wcm_dot_name from, to;
	uint64_t calls, self, total;
	const char *width;
};

void wcm__dot_begin(struct wcm_dot *dot);
void wcm__dot_node(struct wcm_dot *dot, const struct wcm_dot_node *node);
void wcm__dot_edge(struct wcm_dot *dot, const struct wcm_dot_edge *edge);

/* A string of Graphviz, without its quotation marks. */
static inline void wcm__dot_string(struct wcm_dot *dot, const char *text)
{
	wcm__words_escaped(dot->out, WCM_ESCAPE_DOT, text, strlen(text));
}

/* The part of PATH that comes last. */
static inline const char *wcm__dot_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
