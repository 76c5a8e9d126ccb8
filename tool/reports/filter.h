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

#endif
