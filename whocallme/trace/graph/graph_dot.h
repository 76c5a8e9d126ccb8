/* SPDX-License-Identifier: MIT */
/* graph_dot.h (SAFE) - writes a graph of calls in Graphviz' language. */
#ifndef WCM_GRAPH_GRAPH_DOT_H
#define WCM_GRAPH_GRAPH_DOT_H

#include "core/report/text.h"

/* Write what has been counted so far to the file, names as WRITE_NAME shows them.
 * False, after a line on stderr: it cannot be written. */
bool wcm__graph_write(wcm_name_writer *write_name);

#endif
