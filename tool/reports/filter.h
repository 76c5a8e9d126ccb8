/* SPDX-License-Identifier: MIT */
/* filter.h - addresses and reports, and whatever else is between them. */
#ifndef WCM_TOOL_FILTER_H
#define WCM_TOOL_FILTER_H

#include "resolve/frame_lines.h"

struct filter_options {
	bool text; /* reports in JSON are written as text */
	const char *program; /* that pvtrace's addresses are of; NULL: not known */
};

/* Write INPUTS, addresses or names of files up to a NULL, with lines; stdin where
 * there is none.  Returns the exit status. */
int filter(struct resolver *resolver, const struct filter_options *options,
	   char *inputs[]);

/* text_block.c: lines for a whole report, or a whole stack, in text. */

/* Write SIZE bytes of TEXT, a report or stack, or several that a log has mixed, to FILE, with
 * lines below their frames.  A report in JSON that is among them stays
 * JSON. */
void text_block_write(struct resolver *resolver, FILE *file, const char *text,
		      size_t size);

#endif
