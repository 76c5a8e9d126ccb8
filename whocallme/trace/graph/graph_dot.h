/* SPDX-License-Identifier: MIT */
/* graph_write.h - a graph of calls in Graphviz' language. */
#ifndef WCM_HOOK_GRAPH_WRITE_H
#define WCM_HOOK_GRAPH_WRITE_H

#include "report/text.h"

/* Write what has been counted so far to the file, names as WRITE_NAME shows them.
 * False, after a line on stderr: it cannot be written. */
bool wcm__graph_write(wcm_name_writer *write_name);

#endif
