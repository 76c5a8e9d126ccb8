/* SPDX-License-Identifier: MIT */
/* reading.c - options, opening, reading and closing, for commands on recordings. */
#include "commands/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/duration.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/number.h"
#include "base/terminal.h"
#include "commands/command.h"
#include "format/dot.h"
#include "launch/output_path.h"
#include "recording/addresses.h"
#include "recording/recording_reader.h"
#include "recording/scratch.h"

/* In the order of enum name_style. */
const char reading_styles[] = "short full no";

/* Inputs from this size on take long enough to be waited for. */
enum { LONG_INPUT = 1 << 25, CALLS_BETWEEN = 1 << 16 };

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
	const char *end;
	uint64_t tid;

	do {
		end = number_read(value, 10, INT_MAX, &tid);
		if (tid == 0 || (*end && *end != ',') || !add_tid(reading, (long)tid))
			return false;
		value = end + 1;
	} while (*end);
	return true;
}

static bool set_depth(struct reading *reading, const char *value)
{
	uint64_t depth;

	if (!number_is(value, 1, INT_MAX, &depth))
		return false;
	reading->depth = (unsigned)depth;
	return true;
}

static bool set_style(struct reading *reading, const char *value)
{
	const int style = wcm__word_of(reading_styles, value, strlen(value));

	if (style >= 0)
		reading->style = (enum name_style)style;
	return style >= 0;
}

bool reading_option(struct reading *reading, int option, const char *value)
{
	bool makes_sense;

	if (terminal_option(option, value, &makes_sense))
		return makes_sense;
	switch (option) {
	case 'o':
		reading->output = value;
		return true;
	case READING_TID:
		return set_tids(reading, value);
	case READING_PROGRAM:
		reading->program = value;
		return true;
	case 'D':
		return set_depth(reading, value);
	case READING_LEAST:
		return duration_parse(value, &reading->least);
	case READING_NAMES:
		return set_style(reading, value);
	default:
		return false;
	}
}

bool reading_arguments(struct reading *reading, const struct command *command,
		       int argc, char *argv[],
		       bool (*apply)(void *to, int key, const char *value), void *to,
		       int *status)
{
	const int first = options_read(command, argc, argv, apply, to, status);

	reading->dir = first && first < argc ? argv[first] : "uftrace.data";
	if (first && argc - first <= 1)
		return true;
	if (first)
		*status = options_refuse("\"%s\" is one input too many",
					 argv[first + 1]);
	free(reading->tids);
	return false;
}

bool reading_open_output(const struct reading *reading)
{
	const int fd = reading->output ? output_open(reading->output) : STDOUT_FILENO;
	bool done = fd >= 0;

	/* Without -o; or standard output was closed, and FILE got its descriptor. */
	if (fd == STDOUT_FILENO || fd < 0)
		return done;
	if (dup3(fd, STDOUT_FILENO, O_CLOEXEC) < 0) {
		complain("%s: %s", reading->output, strerror(errno));
		done = false;
	}
	close(fd);
	return done;
}

bool reading_open(struct reading *reading)
{
	struct recording_options options = {
		.style = reading->style,
		.tids = reading->tids, .tid_count = reading->tid_count,
		.least = reading->least,
	};

	/* A recording that cannot be read must not cost an older output. */
	if (addresses_are_in(reading->dir)) {
		reading->made = addresses_record(reading->dir, reading->program);
		if (!reading->made)
			return false;
		/* A file of addresses has no times: no call is known to have taken any. */
		options.untimed = true;
		options.least = options.least ? INT64_MAX : 0;
	}
	reading->recording = recording_open(reading->made ? reading->made : reading->dir,
					    &options);
	if (!reading->recording)
		return false;
	reading->calls = calls_new(reading->recording);
	reading->progress = reading->recording->bytes >= LONG_INPUT &&
			    isatty(STDERR_FILENO) &&
			    (reading->output || reading->shows || !isatty(STDOUT_FILENO));
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
	putc('\r', stderr);
	complain_begin();
	escape_text(stderr, reading->dir);
	fprintf(stderr, ": %3d %%", percent);
}

static void end_progress(struct reading *reading)
{
	if (reading->percent >= 0)
		fprintf(stderr, "\r\033[K");
	reading->percent = -1;
	reading->progress = false;
}

void reading_show(struct reading *reading)
{
	if (!reading->output && isatty(STDOUT_FILENO))
		end_progress(reading);
	terminal_begin();
}

static bool is_left_out(const struct reading *reading, const struct frame *frame)
{
	return reading->no_libcall && frame->function->stub;
}

/* CALL is as deep as it would be without the callers that are left out, whose number its frame's
 * mark is. */
static void close_gaps(const struct reading *reading, struct call *call)
{
	size_t left_out = call->frame ? call->frame->mark : 0;

	if ((!call->frame || call->kind == CALL_ENTER) && call->caller)
		left_out = call->caller->mark + is_left_out(reading, call->caller);
	if (call->frame)
		call->frame->mark = left_out;
	call->depth -= (unsigned)left_out;
}

static bool is_wanted_call(const struct reading *reading, const struct call *call)
{
	return call->kind == CALL_LOST ||
	       (!is_left_out(reading, call->frame) &&
		(reading->depth == 0 || call->depth < reading->depth));
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
		if (reading->no_libcall)
			close_gaps(reading, call);
	} while (!is_wanted_call(reading, call));
	/* Callees of the deepest calls shown are hidden: their time counts as the call's. */
	if (reading->depth && call->depth + 1 == reading->depth)
		call->self = call->total;
	return true;
}

static bool output_written(const struct reading *reading)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	/* Without -o, main() reports the error of standard output. */
	if (reading->output) {
		complain("%s: %s", reading->output, strerror(errno));
		clearerr(stdout);
	}
	return false;
}

bool reading_is_system(const struct function *function)
{
	static const char own[] = "libwhocallme.so";
	const char *path = function->module ? function->module->path : NULL;

	return path && function->stub &&
	       strncmp(wcm__dot_base(path), own, sizeof(own) - 1) == 0;
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
	scratch_remove(reading->made);
	free(reading->tids);
	return done ? EXIT_DONE : EXIT_PARTLY;
}
