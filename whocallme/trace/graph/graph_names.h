/* SPDX-License-Identifier: MIT */
/* graph_names.h (SAFE) - names the functions of a graph in its file. */
#ifndef WCM_GRAPH_GRAPH_NAMES_H
#define WCM_GRAPH_GRAPH_NAMES_H

#include "format/text.h"
#include "trace/graph/edges.h"

/* A function, and what all edges to it come to. */
struct wcm_graph_name {
	const char *text;   /* NULL: it has no name, only an address */
	const char *module; /* its path, or NULL */
	uint64_t offset;    /* there, or the address */
	bool namesake;      /* another function has the name */
	bool neighbour;     /* and is in the module of the same name */
	bool shown;         /* there is a call to it or from it */
	uint64_t calls, self, total;
};

struct wcm_graph_names {
	struct wcm_graph_name *name; /* by node */
	uint32_t count;
	size_t size;                 /* of what NAME is mapped in */
	struct wcm_text_piece *text;
};

/* Name the nodes of EDGES as WRITE_NAME shows names.  False: no memory. */
bool wcm__graph_names_make(struct wcm_graph_names *names,
			   struct wcm_edges *edges,
			   wcm_name_writer *write_name);

void wcm__graph_names_free(struct wcm_graph_names *names);

#endif
