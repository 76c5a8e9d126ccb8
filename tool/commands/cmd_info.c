/* SPDX-License-Identifier: MIT */
/* cmd_info.c - `whocallme info`: what a recording is of, when and how long.
 *
 * How long is what the processes have said at their ends, or their last call where that was later
 * or they were killed.
 */
#include "commands/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "base/number.h"
#include "commands/reading.h"
#include "format/wall_time.h"

enum { SECOND = 1000000000 };

/* From the first to the last moment of the recording, by the clock that records have; TO is 0: it
 * is of no moment. */
struct span {
	uint64_t from, to;
};

/* What TEXT, "SECONDS.NANOSECONDS sec", says; 0: nothing, or
 * nothing that makes sense. */
static uint64_t nanoseconds(const char *text)
{
	enum { LONGEST = INT32_MAX };
	uint64_t seconds, part;
	const char *from = number_behind(number_read(text, 10, LONGEST, &seconds), ".");
	const char *to = number_read(from, 10, SECOND - 1, &part);

	if (!to || to - from > 9)
		return 0;
	for (ptrdiff_t digits = to - from; digits < 9; digits++)
		part *= 10;
	return seconds * SECOND + part;
}

static struct span find_span(struct reading *reading)
{
	const struct recording *recording = reading->recording;
	struct span span = { .from = recording->begun };
	struct call call;

	while (reading_next(reading, &call)) {
		if (span.from == 0)
			span.from = call.time;
		if (call.time > span.to)
			span.to = call.time;
	}
	if (recording->begun && span.to < recording->begun + nanoseconds(recording->elapsed))
		span.to = recording->begun + nanoseconds(recording->elapsed);
	return span;
}

static void print_text(const char *name, const char *text)
{
	if (!text)
		return;
	printf("%-14s: ", name);
	escape_text(stdout, text);
	putchar('\n');
}

static void print_moment(const char *name, uint64_t wall)
{
	char text[WCM_WALL_TIME + 1] = "";

	wcm__format_wall_time(text, wall);
	print_text(name, text);
}

static void print_times(const struct recording *recording, const struct span *span)
{
	const uint64_t took = span->to > span->from ? span->to - span->from : 0;

	if (recording->wall == 0) {
		print_text("recorded on", recording->date);
	} else {
		print_moment("recorded on", recording->wall);
		print_moment("ended", recording->wall + took);
	}
	if (!recording->untimed)
		printf("%-14s: %" PRIu64 ".%09" PRIu64 " sec\n", "elapsed time", took / SECOND,
		       took % SECOND);
}

static void print_tasks(const struct recording *recording)
{
	printf("%-14s: %zu\n", "tasks", recording->task_count);
	for (size_t i = 0; i < recording->task_count; i++) {
		const struct task *task = recording->tasks[i];

		printf("%14d: ", task->tid);
		escape_text(stdout, task_program(task));
		putchar('\n');
	}
}

static int run(struct reading *reading)
{
	struct span span;

	if (reading_open(reading)) {
		span = find_span(reading);
		print_text("command line", reading->recording->command_line);
		print_text("recorded by", reading->recording->writer);
		print_times(reading->recording, &span);
		print_tasks(reading->recording);
		return reading_close(reading);
	}
	reading_close(reading);
	return EXIT_PARTLY;
}

static bool apply(void *to, int key, const char *value)
{
	return key == 'o' && reading_option(to, key, value);
}

static int cmd_info(int argc, char *argv[])
{
	struct reading reading = { 0 };
	int status;

	if (!reading_arguments(&reading, &command_info, argc, argv, apply, &reading, &status))
		return status;
	return run(&reading);
}

static const struct command_option options[] = {
	{ 'o', "output", .value = "FILE", .takes = TAKES_FILE,
	  .text = "write to FILE, not to standard output" },
	{ .name = "" },
};

const struct command command_info = {
	.name = "info",
	.operands = "[OPTION...] [DIR]",
	.operand = "[DIR]",
	.summary = "show what a recording is of, when and how long",
	.purpose = FOR_RECORDINGS,
	.about =
		"Show the command line of a recording, when it began and ended in UTC, how "
		"long it took, and its tasks.",
	.options = options,
	.notes = "DIR is uftrace.data by default.",
	.statuses = READING_STATUS,
	.examples = "whocallme info calls",
	.takes = TAKES_DIRECTORY,
	.run = cmd_info,
};
