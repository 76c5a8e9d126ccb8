/* SPDX-License-Identifier: MIT */
/* command.h - what main.c knows of each subcommand. */
#ifndef WCM_TOOL_COMMAND_H
#define WCM_TOOL_COMMAND_H

#include "options.h"

/* Exit statuses, the same for every subcommand. */
enum {
	EXIT_DONE = 0,
	EXIT_PARTLY = 1, /* an input or the output failed; stderr says which */
	EXIT_USAGE = 2,  /* the command line was not understood */

	/* Of a command that becomes another, as env(1) has them. */
	EXIT_NOT_OURS = 125,  /* it failed itself */
	EXIT_NOT_RUN = 126,   /* the other cannot be run */
	EXIT_NOT_FOUND = 127, /* there is no other */
};

extern const struct command command_chrome, command_completion, command_flame,
	command_functions, command_graph, command_group, command_replay,
	command_report, command_resolve, command_run, command_trace;

#endif
