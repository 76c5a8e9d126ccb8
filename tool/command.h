/* SPDX-License-Identifier: MIT */
/* command.h - what main.c knows of each subcommand. */
#ifndef WCM_TOOL_COMMAND_H
#define WCM_TOOL_COMMAND_H

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

/* ARGV[0] is the subcommand's name. */
int cmd_chrome(int argc, char *argv[]);
int cmd_flame(int argc, char *argv[]);
int cmd_functions(int argc, char *argv[]);
int cmd_graph(int argc, char *argv[]);
int cmd_group(int argc, char *argv[]);
int cmd_replay(int argc, char *argv[]);
int cmd_report(int argc, char *argv[]);
int cmd_resolve(int argc, char *argv[]);
int cmd_run(int argc, char *argv[]);
int cmd_trace(int argc, char *argv[]);

#endif
