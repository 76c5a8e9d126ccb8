/* SPDX-License-Identifier: MIT */
/* event_line.h - reads a line of a file of addresses.
 *
 * E or X and an address of a process; lines that begin with "# " say where its modules
 * were, and, in a file of several, whose the lines that follow are.
 */
#ifndef WCM_TOOL_EVENT_LINE_H
#define WCM_TOOL_EVENT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"

struct event_lines {
	long process; /* whose lines these are; 0: the first one's, until it comes back */
	const char *program; /* of addresses in no module: one that is not moved; or NULL */
	struct tree modules, processes; /* what is known of them */
	uint64_t programs; /* how many of those that run have begun */
};

/* The address that LINE stands for, as people write it, the caller's to free; NULL: it
 * stands for none, or its module is not known.  A line of a module or process is kept. */
char *event_line(struct event_lines *lines, const char *line);

/* Whether LINE begins as one with an address does; as one does that says where a module was. */
bool event_is_address(const char *line);
bool event_is_module(const char *line);

/* The path of a module in LINE, "# 0xLO-0xHI bias 0xBIAS build-id ID PATH", where it was, how far
 * its addresses are moved, and its build-id, "" for none; NULL: that is not said. */
enum { EVENT_ID = 129 };
const char *event_module(const char *line, uint64_t *lo, uint64_t *hi, uint64_t *bias,
			 char id[EVENT_ID]);

/* The process that LINE, "# process PID" or "# process PID begins", says the next lines
 * are of; 0: it says none.  One that goes on and has not begun is the first of the file. */
long event_process(const char *line);
bool event_process_begins(const char *line);

/* The length of LINE without its end and the blanks before it: the last one before
 * another process's may have some. */
size_t event_line_length(const char *line);

void event_lines_free(struct event_lines *lines);

#endif
