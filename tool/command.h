/* SPDX-License-Identifier: MIT */
/* command.h - what main.c knows of each subcommand. */
#ifndef WCM_TOOL_COMMAND_H
#define WCM_TOOL_COMMAND_H

/* Exit statuses, the same for every subcommand. */
enum {
	EXIT_DONE = 0,
	EXIT_PARTLY = 1, /* an input or the output failed; stderr says which */
	EXIT_USAGE = 2,  /* the command line was not understood */
};

/* ARGV[0] is the subcommand's name. */
int cmd_functions(int argc, char *argv[]);

#endif
