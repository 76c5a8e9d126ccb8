/* SPDX-License-Identifier: MIT */
/* graph_source.h - finds the source file of a recorded function, for the clusters. */
#ifndef WCM_TOOL_GRAPH_SOURCE_H
#define WCM_TOOL_GRAPH_SOURCE_H

#include "debug/binary.h"
#include "symbols/function_set.h"

/* The path, the caller's to free; NULL where debug data does not say.  *BINARIES is
 * made when first needed, and the caller's to free. */
char *graph_source(struct binaries **binaries, const struct function *function);

#endif
