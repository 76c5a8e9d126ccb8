/* SPDX-License-Identifier: MIT */
/* launch.h - becoming another program that has one of our libraries preloaded. */
#ifndef WCM_TOOL_LAUNCH_H
#define WCM_TOOL_LAUNCH_H

#include <stdbool.h>

#include "options/command_options.h"

/* Apply the options of a command that becomes another program.  Returns the index of
 * the program in ARGV, or 0, *STATUS being what to exit with. */
int launch_options(const struct command *command, int argc, char *argv[],
		   bool (*apply)(void *to, int key, const char *value), int *status);

struct launch {
	const char *library;  /* the file's name */
	const char *variable; /* of the environment: another path of it */
	const char *with;     /* what the program is to run with, in words */
	const char *if_static; /* what to say of a program that is linked statically */
	/* What else speaks against running the program at PATH, in words, or NULL;
	 * *STATUS is what to exit with then.  May be NULL itself. */
	const char *(*refuses)(struct launch *how, const char *path, int *status);
	/* What is left to be done when nothing does, for the program at PATH.  False, after
	 * a line on stderr, where that failed.  May be NULL. */
	bool (*prepare)(const char *path);
	bool is_linked;       /* nothing need be preloaded */
};

/* Become ARGV.  Returns the exit status where that failed, which stderr has been told
 * of. */
int launch(char *argv[], struct launch *how);

/* Set a variable of the environment, or end for want of memory. */
void launch_set(const char *name, const char *value);

/* Set what OPTION sets, to the VALUE that it is given or to its own.  False where the value is no
 * word of its. */
bool launch_set_option(const struct command_option *option, const char *value);

/* Set NAME to PATTERN, a file's name, from the root on: the program may change its
 * directory.  A percent sign in ours stands for itself. */
void launch_set_path(const char *name, const char *pattern);

/* Have the program's threads keep their last calls: VALUE of them, or as many as the library
 * keeps where it is NULL.  False where VALUE is no number from 1 to WCM_FLIGHT_MOST. */
bool launch_set_flight(const char *value);

#endif
