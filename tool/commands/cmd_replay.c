/* SPDX-License-Identifier: MIT */
/* cmd_replay.c - `whocallme replay`: the calls of a recording, in order.
 *
 * The layout is that of uftrace replay, so that the two can be compared.
 */
#include "commands/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/exit_status.h"
#include "base/terminal.h"
#include "commands/reading.h"
#include "format/wall_time.h"
#include "recording/value_text.h"

enum { NO_MERGE = OPTION_LONG, NO_COMMENT, NO_LIBCALL, NO_ARGS, CUT, TIME };

/* A column of when each line is of, in the order of wcm__takes_TRACE_TIME. */
enum time { TIME_RELATIVE, TIME_ABSOLUTE, TIME_DELTA, TIME_NONE };

enum { DEEPEST_INDENT = 128 /* as the log has it */ };

struct replay {
	struct reading reading;
	struct value_text values;
	bool no_merge, no_comment, no_args, cut;
	enum time time;
	uint64_t latest;     /* the time of the line before */

	/* A call that has begun and is not printed yet. */
	bool pending;
	const struct function *function;
	struct call_values call; /* and what it is given */
	unsigned depth;
	uint64_t begun;

	bool open_seen;      /* the list of open calls has begun */
	const struct task *open_task;
};

/* A call that is deeper than the deepest indentation has its depth in front of it, as the list of
 * open calls has it: else what is written would grow with the square of the depth. */
static void indent(unsigned depth)
{
	const unsigned shown = depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT;

	for (unsigned i = 0; i < shown; i++)
		fwrite_unlocked("  ", 1, 2, stdout);
	if (depth > shown)
		printf("[%u] ", depth);
}

/* AT is a time of the recording, which may say when it began; else the first line tells that. */
static void print_time(struct replay *replay, uint64_t at)
{
	const struct recording *recording = replay->reading.recording;
	char text[NUMBER_SIZE + 1] = "-", wall[WCM_WALL_TIME];
	uint64_t since;

	if (replay->latest == 0)
		replay->latest = recording->begun ? recording->begun : at;
	since = replay->latest;
	if (replay->time == TIME_ABSOLUTE) {
		wcm__format_wall_time(wall, recording->wall + (at - recording->begun));
		printf(" %.*s", WCM_WALL_TIME, wall);
	} else {
		number_grouped(at < since ? since - at : at - since, text + 1);
		printf(" %13s", text + (at >= since));
	}
	if (replay->time == TIME_DELTA)
		replay->latest = at;
}

/* A line of the time AT. */
static void print_start(struct replay *replay, uint64_t at, uint64_t duration,
			const struct task *task, unsigned depth)
{
	char tid[16];

	if (replay->time != TIME_NONE)
		print_time(replay, at);
	putc_unlocked(' ', stdout);
	terminal_duration(duration);
	snprintf(tid, sizeof(tid), " [%6d] | ", task->tid);
	fputs_unlocked(tid, stdout);
	indent(depth);
}

/* False: what a call is given is not known, or not to be shown. */
static bool print_given(struct replay *replay, const struct call_values *given)
{
	const bool is_known =
		!replay->no_args && value_text_put(&replay->values, stdout, "(", given);

	if (is_known)
		putc_unlocked(')', stdout);
	return is_known;
}

static void print_name(struct replay *replay)
{
	const struct function *function = replay->function;

	fputs_unlocked(function->name, stdout);
	if (!print_given(replay, &replay->call) && !function->typed)
		fputs_unlocked("()", stdout);
}

/* False: what CALL gives back is not known, or not to be shown. */
static bool print_back(struct replay *replay, const struct call *call)
{
	const struct call_values back = call_back(call);

	return !replay->no_args && value_text_put(&replay->values, stdout, " = ", &back);
}

static void print_pending(struct replay *replay)
{
	if (!replay->pending)
		return;
	replay->pending = false;
	print_start(replay, replay->begun, 0, replay->call.task, replay->depth);
	print_name(replay);
	fputs_unlocked(" {\n", stdout);
}

static void print_leaf(struct replay *replay, const struct call *call)
{
	replay->pending = false;
	print_start(replay, replay->begun, call->total, call->task, call->depth);
	print_name(replay);
	print_back(replay, call);
	fputs_unlocked(";\n", stdout);
}

/* What of it was not known when CALL began, for its task has recorded others since. */
static void print_given_late(struct replay *replay, const struct call *call)
{
	const struct call_values given = call_given(call);

	if (call->frame->end_data == 0 && call_values_go_on(&given))
		print_given(replay, &given);
}

static void print_end(struct replay *replay, const struct call *call)
{
	print_start(replay, call->time, call->total, call->task, call->depth);
	putc_unlocked('}', stdout);
	if (print_back(replay, call))
		putc_unlocked(';', stdout);
	if (!replay->no_comment || call->kind == CALL_CUT) {
		terminal_colour(COLOUR_DIM);
		fputs_unlocked(" /* ", stdout);
		fputs_unlocked(call->frame->function->name, stdout);
		print_given_late(replay, call);
		fputs_unlocked(call->kind == CALL_CUT ? ", cut short */" : " */",
			       stdout);
		terminal_colour(COLOUR_NONE);
	}
	putc_unlocked('\n', stdout);
}

static void enter(struct replay *replay, const struct call *call)
{
	print_pending(replay);
	if (call->frame->assumed)
		return;
	replay->pending = true;
	replay->function = call->frame->function;
	replay->call = call_given(call);
	replay->depth = call->depth;
	replay->begun = call->time;
	if (replay->no_merge)
		print_pending(replay);
}

static void leave(struct replay *replay, const struct call *call)
{
	if (replay->pending && replay->call.task == call->task &&
	    replay->depth == call->depth) {
		print_leaf(replay, call);
		return;
	}
	print_pending(replay);
	print_end(replay, call);
}

static void cut(struct replay *replay, const struct call *call)
{
	print_pending(replay);
	if (replay->cut && !call->frame->assumed)
		print_end(replay, call);
}

static void lost(struct replay *replay, const struct call *call)
{
	print_pending(replay);
	print_start(replay, call->time, 0, call->task, call->depth + 1);
	if (call->lost)
		printf("/* LOST %" PRIu64 " records!! */\n", call->lost);
	else
		puts("/* LOST some records!! */");
}

static void list_open(struct replay *replay, const struct call *call)
{
	const struct call_values given = call_given(call);

	print_pending(replay);
	if (call->frame->assumed)
		return;
	if (!replay->open_seen)
		puts("\nFunctions that did not return\n"
		     "=============================");
	else if (replay->open_task != call->task)
		putchar('\n');
	if (replay->open_task != call->task)
		printf("task: %d\n", call->task->tid);
	replay->open_seen = true;
	replay->open_task = call->task;
	printf("[%u] %s", call->depth, call->frame->function->name);
	print_given(replay, &given);
	putchar('\n');
}

static void show(struct replay *replay, const struct call *call)
{
	switch (call->kind) {
	case CALL_ENTER:
		enter(replay, call);
		break;
	case CALL_LEAVE:
		leave(replay, call);
		break;
	case CALL_CUT:
		cut(replay, call);
		break;
	case CALL_LOST:
		lost(replay, call);
		break;
	case CALL_OPEN:
		list_open(replay, call);
		break;
	}
}

/* False, after a line on stderr: the recording has none of the times that are asked for. */
static bool has_times(const struct replay *replay)
{
	const struct reading *reading = &replay->reading;

	if (replay->time == TIME_NONE)
		return true;
	if (reading->recording->untimed)
		recording_complain(reading->dir, "it has no times for --time");
	else if (replay->time == TIME_ABSOLUTE && reading->recording->wall == 0)
		recording_complain(reading->dir, "it does not say at what time of day it began, "
				   "for --time=absolute, as recordings of whocallme do");
	else
		return true;
	return false;
}

static void print_head(const struct replay *replay)
{
	static const char *const heads[] = {
		[TIME_RELATIVE] = "#  NANOSECONDS", [TIME_DELTA] = "#   SINCE LINE",
		[TIME_ABSOLUTE] = "# TIME OF DAY, UTC             ", [TIME_NONE] = "#",
	};

	terminal_colour(COLOUR_BOLD);
	printf("%s DURATION     TID     FUNCTION\n", heads[replay->time]);
	terminal_colour(COLOUR_NONE);
}

static int run(struct replay *replay)
{
	struct call call;
	bool more;

	if (reading_open(&replay->reading) && has_times(replay)) {
		value_text_init(&replay->values, replay->reading.recording);
		/* A log says itself which calls exceptions have ended. */
		replay->cut |= replay->reading.made != NULL;
		more = reading_next(&replay->reading, &call);
		reading_show(&replay->reading);
		print_head(replay);
		for (; more; more = reading_next(&replay->reading, &call))
			show(replay, &call);
		print_pending(replay);
		if (replay->open_seen)
			putchar('\n');
		value_text_close(&replay->values);
		return reading_close(&replay->reading);
	}
	reading_close(&replay->reading);
	return EXIT_PARTLY;
}

static bool apply(void *to, int key, const char *value)
{
	struct replay *replay = to;

	switch (key) {
	case NO_MERGE:
		return replay->no_merge = true;
	case NO_COMMENT:
		return replay->no_comment = true;
	case NO_LIBCALL:
		return replay->reading.no_libcall = true;
	case NO_ARGS:
		return replay->no_args = true;
	case CUT:
		return replay->cut = true;
	case TIME:
		replay->time = (enum time)wcm__word_of(wcm__takes_TRACE_TIME, value, strlen(value));
		return wcm__word_of(wcm__takes_TRACE_TIME, value, strlen(value)) >= 0;
	default:
		return reading_option(&replay->reading, key, value);
	}
}

static int cmd_replay(int argc, char *argv[])
{
	struct replay replay = { .time = TIME_NONE, .reading.shows = true };
	int status;

	if (!reading_arguments(&replay.reading, &command_replay, argc, argv, apply,
			       &replay, &status))
		return status;
	return run(&replay);
}

static const struct command_option options[] = {
	{ NO_MERGE, "no-merge",
	  .text = "write two lines for a call that called nothing" },
	{ NO_COMMENT, "no-comment", .text = "do not name the function where it ends" },
	{ NO_LIBCALL, "no-libcall", .text = "leave out calls of functions in other modules" },
	{ NO_ARGS, "no-args",
	  .text = "show neither arguments nor results" },
	{ CUT, "cut",
	  .text = "show the ends of calls that a jump, an exception or an exec cuts "
		  "short" },
	{ TIME, "time", .value = "HOW", .takes = TAKES_WORD, .words = wcm__takes_TRACE_TIME,
	  .text = "show before each line: relative, nanoseconds since the recording "
		  "began; absolute, the time of day in UTC; or delta, nanoseconds "
		  "since the line before" },
	TERMINAL_OPTIONS,
	READING_OPTIONS,
};

const struct command command_replay = {
	.name = "replay",
	.operands = "[OPTION...] [DIR]",
	.operand = "[DIR]",
	.summary = "show the calls of a recording in order",
	.purpose = FOR_RECORDINGS,
	.about =
		"Show the calls of a recording in order: time, thread, and function, indented "
		"by depth.",
	.options = options,
	.notes =
		"DIR is uftrace.data by default. It may be a file of addresses, or a log of "
		"\"whocallme cc\".\n"
		"Calls that never ended are listed after the last line. From depth 128 on, "
		"the depth stands in brackets in place of more indentation.",
	.statuses = READING_STATUS,
	.examples = "whocallme replay --time-filter=1ms calls",
	.takes = TAKES_DIRECTORY,
	.run = cmd_replay,
};
