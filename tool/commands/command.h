/* SPDX-License-Identifier: MIT */
/* command.h - the subcommands that main.c picks from. */
#ifndef WCM_TOOL_COMMAND_H
#define WCM_TOOL_COMMAND_H

#include "options/command_options.h"

extern const struct command command_cc, command_chrome, command_completion, command_flame,
	command_functions, command_graph, command_group, command_info, command_plugin,
	command_replay,
	command_report, command_resolve, command_run, command_stack, command_trace;

/* What `whocallme report --sort` takes, and `whocallme trace --sort`. */
extern const char report_keys[];

#endif
