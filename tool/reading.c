/* SPDX-License-Identifier: MIT */
/* reading.c - what the commands that read recordings have in common. */
#include "reading.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "duration.h"

/* Inputs from this size on take long enough to be waited for. */
enum { LONG_INPUT = 1 << 25, CALLS_BETWEEN = 1 << 16 };

static bool refuse(const struct reading *reading, const char *what,
		   const char *value, const char *wanted)
{
	fprintf(stderr, "whocallme: %s: %s \"%s\" is not %s\n", reading->command,
		what, value, wanted);
	return false;
}

static bool add_tid(struct reading *reading, long tid)
{
	int *more = realloc(reading->tids, (reading->tid_count + 1) * sizeof(*more));

	if (!more)
		return false;
	reading->tids = more;
	more[reading->tid_count++] = (int)tid;
	return true;
}

static bool set_tids(struct reading *reading, const char *value)
{
	const char *text = value;
	char *end;

	do {
		long tid = strtol(text, &end, 10);

		if (end == text || tid <= 0 || tid > INT_MAX ||
		    (*end && *end != ',') || !add_tid(reading, tid))
			return refuse(reading, "--tid", value,
				      "a list of task numbers");
		text = end + 1;
	} while (*end);
	return true;
}

static bool set_depth(struct reading *reading, const char *value)
{
	char *end;
	long depth = strtol(value, &end, 10);

	if (end == value || *end || depth < 1 || depth > INT_MAX)
		return refuse(reading, "--depth", value, "a number from 1 on");
	reading->depth = (unsigned)depth;
	return true;
}

static bool set_least(struct reading *reading, const char *value)
{
	return duration_parse(value, &reading->least) ||
	       refuse(reading, "--time-filter", value,
		      "a time such as 100, 5us, 1ms or 2s");
}

static bool set_style(struct reading *reading, const char *value)
{
	static const char *const styles[] = {
		[NAME_SHORT] = "short", [NAME_FULL] = "full", [NAME_MANGLED] = "no",
	};

	for (size_t i = 0; i < sizeof(styles) / sizeof(*styles); i++)
		if (strcmp(value, styles[i]) == 0) {
			reading->style = (enum name_style)i;
			return true;
		}
	return refuse(reading, "--demangle", value, "short, full or no");
}

bool reading_option(struct reading *reading, int option, const char *value)
{
	switch (option) {
	case 'o':
	case READING_OUTPUT:
		reading->output = value;
		return true;
	case READING_TID:
		return set_tids(reading, value);
	case 'D':
	case READING_DEPTH:
		return set_depth(reading, value);
	case READING_LEAST:
		return set_least(reading, value);
	case READING_NAMES:
		return set_style(reading, value);
	default:
		return false;
	}
}

int reading_usage(const struct reading *reading)
{
	fprintf(stderr, "whocallme: see whocallme %s --help\n", reading->command);
	free(reading->tids);
	return EXIT_USAGE;
}

bool reading_arguments(struct reading *reading, int argc, char *argv[])
{
	reading->dir = argc > 0 ? argv[0] : "uftrace.data";
	if (argc <= 1)
		return true;
	fprintf(stderr, "whocallme: %s: \"%s\" is one input too many\n",
		reading->command, argv[1]);
	return false;
}

bool reading_open_output(const struct reading *reading)
{
	if (!reading->output || freopen(reading->output, "we", stdout))
		return true;
	fprintf(stderr, "whocallme: %s: %s\n", reading->output, strerror(errno));
	return false;
}

bool reading_open(struct reading *reading)
{
	const struct recording_options options = {
		.style = reading->style,
		.tids = reading->tids, .tid_count = reading->tid_count,
		.least = reading->least,
	};

	/* A recording that cannot be read must not cost an older output. */
	reading->recording = recording_open(reading->dir, &options);
	if (!reading->recording)
		return false;
	reading->calls = calls_new(reading->recording);
	reading->progress = reading->recording->bytes >= LONG_INPUT &&
			    isatty(STDERR_FILENO) &&
			    (reading->output || !isatty(STDOUT_FILENO));
	reading->countdown = CALLS_BETWEEN;
	reading->percent = -1;
	return reading->calls && reading_open_output(reading);
}

static void show_progress(struct reading *reading)
{
	const struct recording *recording = reading->recording;
	int percent = (int)(recording->bytes_read * 100 / recording->bytes);

	reading->countdown = CALLS_BETWEEN;
	if (percent == reading->percent)
		return;
	reading->percent = percent;
	fprintf(stderr, "\rwhocallme: %s: %3d %%", reading->dir, percent);
}

static void end_progress(struct reading *reading)
{
	if (reading->percent >= 0)
		fprintf(stderr, "\r\033[K");
	reading->percent = -1;
	reading->progress = false;
}

bool reading_next(struct reading *reading, struct call *call)
{
	do {
		if (reading->progress && --reading->countdown == 0)
			show_progress(reading);
		if (!calls_next(reading->calls, call)) {
			end_progress(reading);
			return false;
		}
	} while (reading->depth && call->kind != CALL_LOST &&
		 call->depth >= reading->depth);
	/* What its callees took is its own where they are not shown. */
	if (reading->depth && call->depth + 1 == reading->depth)
		call->self = call->total;
	return true;
}

static bool output_written(const struct reading *reading)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	/* Of standard output itself, main() says so. */
	if (reading->output) {
		fprintf(stderr, "whocallme: %s: %s\n", reading->output,
			strerror(errno));
		clearerr(stdout);
	}
	return false;
}

int reading_close(struct reading *reading)
{
	bool done = output_written(reading);

	if (reading->calls) {
		if (calls_failed(reading->calls)) {
			recording_complain(reading->dir, "out of memory");
			done = false;
		}
		calls_free(reading->calls);
	}
	if (reading->recording) {
		done = done && !reading->recording->damaged;
		recording_close(reading->recording);
	}
	free(reading->tids);
	return done ? EXIT_DONE : EXIT_PARTLY;
}
