/* SPDX-License-Identifier: MIT */
/* exit_status.h - the exit statuses, the same for every subcommand. */
#ifndef WCM_TOOL_EXIT_STATUS_H
#define WCM_TOOL_EXIT_STATUS_H

enum {
	EXIT_DONE = 0,
	EXIT_PARTLY = 1, /* an input or the output failed; stderr says which */
	EXIT_USAGE = 2,  /* the command line was not understood */

	/* Of a command that becomes another, as env(1) has them. */
	EXIT_NOT_OURS = 125,  /* it failed itself */
	EXIT_NOT_RUN = 126,   /* the other cannot be run */
	EXIT_NOT_FOUND = 127, /* there is no other */
};

#endif
