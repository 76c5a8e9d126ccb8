/* SPDX-License-Identifier: MIT */
/* reading.h - what the commands that read recordings have in common. */
#ifndef WCM_TOOL_READING_H
#define WCM_TOOL_READING_H

#include "options/command_options.h"
#include "recording/calls.h"

struct reading {
	const char *dir;     /* of the recording, or another input */
	const char *output;  /* NULL: standard output */
	char *made;          /* the recording of a file of addresses; NULL: none */
	const char *program; /* of a file of addresses that does not say; NULL: none */
	enum name_style style;
	uint64_t least;      /* nanoseconds: shorter calls are not shown */
	unsigned depth;      /* frames below this depth are not shown */
	bool no_libcall;     /* nor are library calls, which have no depth: frames get marks */
	int *tids;
	size_t tid_count;

	struct recording *recording;
	struct calls *calls;
	bool shows;          /* the output is text for people, and reading_show() begins it */
	bool progress;       /* to be shown */
	unsigned countdown;  /* calls until it is looked at again */
	int percent;
};

/* The options that all have, for the end of a table. */
enum {
	READING_TID = 0x1000, READING_LEAST, READING_NAMES, READING_PROGRAM,
};

extern const char reading_styles[];

#define READING_OPTIONS                                                              \
	{ 'o', "output", .value = "FILE", .takes = TAKES_FILE,                        \
	  .text = "write to FILE, not to standard output" },                          \
	{ READING_TID, "tid", .value = "TID,...", .wants = "a list of task numbers",  \
	  .text = "read only these threads" },                                               \
	{ 'D', "depth", .value = "N", .wants = "a number from 1 on",                  \
	  .text = "show no calls deeper than N (the outermost is 1)" },                    \
	{ READING_LEAST, "time-filter", .value = "TIME",                              \
	  .wants = "a time such as 100, 5us, 1ms or 2s",                              \
	  .text = "leave out calls shorter than TIME: 100 (ns), 5us, 1ms, 2s" },             \
	{ READING_NAMES, "demangle", .value = "HOW", .takes = TAKES_WORD,             \
	  .words = reading_styles,                                                    \
	  .text = "show C++ names: short, full (with their types), or no" },               \
	{ READING_PROGRAM, "program", .value = "FILE", .takes = TAKES_FILE,           \
	  .text = "take addresses of pvtrace, which name no program, for those of " \
		  "FILE" },           \
	{ .name = "" }

#define READING_STATUS "0 done\n1 the recording is damaged, or the output failed\n2 usage"

/* Set one of those options.  False where VALUE is none. */
bool reading_option(struct reading *reading, int option, const char *value);

/* Read the options of ARGV, as options_read() does, and the input's name.  False where
 * that is all, *STATUS being what to exit with. */
bool reading_arguments(struct reading *reading, const struct command *command,
		       int argc, char *argv[],
		       bool (*apply)(void *to, int key, const char *value), void *to,
		       int *status);

/* Open the recording, and the output in place of standard output. */
bool reading_open(struct reading *reading);

/* The same of the output alone. */
bool reading_open_output(const struct reading *reading);

/* What stdout gets from now on is to be read: see terminal_begin().  There is something to show:
 * nobody waits in front of a pager that is empty. */
void reading_show(struct reading *reading);

/* The next call at a depth that is asked for; what is lost is at any. */
bool reading_next(struct reading *reading, struct call *call);

/* Whether it is a system call, which a recording has as a slot of the library's: that of a static
 * program is not known so. */
bool reading_is_system(const struct function *function);

/* Close all.  The exit status: EXIT_DONE, or EXIT_PARTLY where the recording is
 * damaged or the output failed. */
int reading_close(struct reading *reading);

#endif
