/* SPDX-License-Identifier: MIT */
/* event_line.h - which address does a line of a file of addresses stand for?
 *
 * E or X and an address of a process; lines that begin with "# " say where its modules
 * were.
 */
#ifndef WCM_TOOL_EVENT_LINE_H
#define WCM_TOOL_EVENT_LINE_H

#include <stddef.h>
#include <stdint.h>

struct event_module {
	uint64_t lo, hi, bias;
	char *name; /* as an address has it: BUILDID:PATH */
};

struct event_lines {
	const char *program; /* of addresses in no module: one that is not moved; or NULL */
	struct event_module *modules;
	size_t count;
};

/* The address that LINE stands for, as people write it, the caller's to free; NULL: it
 * stands for none, or its module is not known.  A line of a module is kept. */
char *event_line(struct event_lines *lines, const char *line);

void event_lines_free(struct event_lines *lines);

#endif
