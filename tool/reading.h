/* SPDX-License-Identifier: MIT */
/* reading.h - what the commands that read recordings have in common. */
#ifndef WCM_TOOL_READING_H
#define WCM_TOOL_READING_H

#include "calls.h"

struct reading {
	const char *command; /* its name */
	const char *dir;     /* of the recording, or another input */
	const char *output;  /* NULL: standard output */
	enum name_style style;
	uint64_t least;      /* nanoseconds: shorter calls are not shown */
	unsigned depth;      /* frames below this depth are not shown */
	int *tids;
	size_t tid_count;

	struct recording *recording;
	struct calls *calls;
	bool progress;       /* to be shown */
	unsigned countdown;  /* calls until it is looked at again */
	int percent;
};

/* The options that all have; values above those of characters. */
enum {
	READING_OUTPUT = 0x1000, READING_TID, READING_DEPTH, READING_LEAST,
	READING_NAMES,
};

#define READING_OPTIONS                                                   \
	{ "output", required_argument, NULL, READING_OUTPUT },             \
	{ "tid", required_argument, NULL, READING_TID },                   \
	{ "depth", required_argument, NULL, READING_DEPTH },               \
	{ "time-filter", required_argument, NULL, READING_LEAST },         \
	{ "demangle", required_argument, NULL, READING_NAMES },            \
	{ "help", no_argument, NULL, 'h' }

#define READING_SHORT_OPTIONS "D:ho:"

#define READING_HELP                                                      \
	"  -o, --output=FILE   write to FILE, not to standard output\n"        \
	"      --tid=TID,...   only these tasks\n"                            \
	"  -D, --depth=N       no calls deeper than N (the outermost is 1)\n" \
	"      --time-filter=TIME  no calls shorter than TIME: 100 (ns), 5us, 1ms, 2s\n" \
	"      --demangle=HOW  C++ names: short, full (with their types), or no\n" \
	"  -h, --help          show this help\n"

/* Set one of those options.  False, after a line on stderr, where VALUE is none. */
bool reading_option(struct reading *reading, int option, const char *value);

/* A word on stderr: how to learn what COMMAND takes. */
int reading_usage(const struct reading *reading);

/* Take the input's name from the arguments left, at most one. */
bool reading_arguments(struct reading *reading, int argc, char *argv[]);

/* Open the recording, and the output in place of standard output. */
bool reading_open(struct reading *reading);

/* The same of the output alone. */
bool reading_open_output(const struct reading *reading);

/* The next call at a depth that is asked for; what is lost is at any. */
bool reading_next(struct reading *reading, struct call *call);

/* Close all.  The exit status: EXIT_DONE, or EXIT_PARTLY where the recording is
 * damaged or the output failed. */
int reading_close(struct reading *reading);

#endif
