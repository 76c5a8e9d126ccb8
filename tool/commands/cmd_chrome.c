/* SPDX-License-Identifier: MIT */
/* cmd_chrome.c - `whocallme chrome`: a recording as a Chrome trace.
 *
 * The format is the "Trace Event Format": an X event for each call, with its begin and
 * duration in microseconds, rather than B and E events, for which some viewers keep one stack
 * for all threads of a process.  They come in the order of their ends, so that memory is bounded
 * by the calls that are open; viewers sort them.
 */
#include "commands/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "commands/reading.h"
#include "format/json.h"
#include "recording/value_text.h"

struct chrome {
	struct reading reading;
	struct wcm_json json;
	struct value_text values;
	uint64_t *ends; /* of each task, when its last call ended */
	bool failed;
};

static void print_task_name(struct wcm_json *json, const struct task *task, const char *what)
{
	char *name = NULL;

	wcm__json_open(json, NULL, '{');
	wcm__json_text(json, "ph", "M");
	wcm__json_number(json, "ts", 0);
	wcm__json_number(json, "pid", task->pid);
	wcm__json_number(json, "tid", task->tid);
	wcm__json_text(json, "name", what);
	wcm__json_open(json, "args", '{');
	if (asprintf(&name, "[%d] %s", task->tid, task_program(task)) < 0)
		name = NULL;
	wcm__json_name(json, "name", name ? name : "?");
	free(name);
	wcm__json_close(json, '}');
	wcm__json_close(json, '}');
}

static void print_tasks(struct wcm_json *json, const struct recording *recording)
{
	for (size_t i = 0; i < recording->task_count; i++) {
		const struct task *task = recording->tasks[i];

		if (!task->has_file)
			continue;
		if (task->pid == task->tid)
			print_task_name(json, task, "process_name");
		print_task_name(json, task, "thread_name");
	}
}

/* Nanoseconds as microseconds. */
static void put_time(struct wcm_json *json, const char *name, uint64_t time)
{
	wcm__json_value(json, name);
	wcm__words_digits(&json->out, time / 1000, 10, 1);
	wcm__words_text(&json->out, ".");
	wcm__words_digits(&json->out, time % 1000, 10, 3);
}

/* The number that a viewer makes of TIME. */
static double microseconds(uint64_t time)
{
	return (double)((long double)(time / 1000) + (time % 1000) / 1000.0L);
}

/* Viewers add durations to times, in binary floating point.  Of calls that end at once
 * the sums may differ in their last bit: then one does not lie within the other any more,
 * and viewers leave some out.  As few more digits as will do have the sum be the end as
 * it would be read. */
static void put_duration(struct wcm_json *json, uint64_t start, uint64_t end, bool is_alone)
{
	enum { FEWEST = 3, MOST = 12 };
	double from = microseconds(start), to = microseconds(end);
	double duration = to - from;
	char text[40];

	if (is_alone || from + microseconds(end - start) == to) {
		put_time(json, "dur", end - start);
		return;
	}
	for (int digits = FEWEST + 1; digits <= MOST; digits++) {
		snprintf(text, sizeof(text), "%.*f", digits, duration);
		if (from + strtod(text, NULL) == to)
			break;
	}
	wcm__json_value(json, "dur");
	wcm__words_text(&json->out, text);
}

/* Begin an event of the kind PHASE. */
static void open_event(struct wcm_json *json, const char *phase, uint64_t time)
{
	wcm__json_open(json, NULL, '{');
	wcm__json_text(json, "ph", phase);
	put_time(json, "ts", time);
}

static void put_task(struct wcm_json *json, const struct task *task)
{
	wcm__json_unsigned(json, "pid", (unsigned)task->pid);
	wcm__json_unsigned(json, "tid", (unsigned)task->tid);
}

/* Whether no other call of the task has ended, or will, when this one does; what ends
 * others ends all at once. */
static bool ends_alone(struct chrome *chrome, const struct call *call)
{
	uint64_t *last = &chrome->ends[call->task->index];
	const bool is_alone = call->kind == CALL_LEAVE && *last != call->time;

	*last = call->time;
	return is_alone;
}

/* An event whose members are at DEPTH has "args" from the first of these on. */
static void open_arguments(struct wcm_json *json, unsigned depth)
{
	if (json->depth == depth)
		wcm__json_open(json, "args", '{');
}

static void print_values(struct chrome *chrome, unsigned depth, const char *name,
			 const struct call_values *values)
{
	char *text = NULL;
	size_t size;
	FILE *made = values->place.size > 0 ? open_memstream(&text, &size) : NULL;

	if (!made)
		return;
	if (value_text_put(&chrome->values, made, "", values) && fflush(made) == 0) {
		open_arguments(&chrome->json, depth);
		wcm__json_name(&chrome->json, name, text);
	}
	fclose(made);
	free(text);
}

static void print_arguments(struct chrome *chrome, const struct call *call)
{
	static const char *const ends[] = { [CALL_CUT] = "cut", [CALL_OPEN] = "open" };
	const struct call_values given = call_given(call), back = call_back(call);
	struct wcm_json *json = &chrome->json;
	const unsigned depth = json->depth;

	print_values(chrome, depth, "arguments", &given);
	print_values(chrome, depth, "retval", &back);
	if (call->kind != CALL_LEAVE) {
		open_arguments(json, depth);
		wcm__json_text(json, "end", ends[call->kind]);
	}
	wcm__json_close_to(json, depth);
}

static void print_call(struct chrome *chrome, const struct call *call)
{
	struct wcm_json *json = &chrome->json;

	open_event(json, "X", call->frame->start);
	/* One that began with the last record would be behind its callers if all ended
	 * there. */
	put_duration(json, call->frame->start, call->time + (call->kind == CALL_OPEN),
		     ends_alone(chrome, call));
	put_task(json, call->task);
	wcm__json_name(json, "name", call->frame->function->name);
	print_arguments(chrome, call);
	wcm__json_close(json, '}');
}

static void print_lost(struct wcm_json *json, const struct call *call)
{
	open_event(json, "i", call->time);
	put_task(json, call->task);
	wcm__json_text(json, "name", "lost");
	wcm__json_text(json, "s", "t");
	wcm__json_open(json, "args", '{');
	wcm__json_unsigned(json, "events", call->lost);
	wcm__json_close(json, '}');
	wcm__json_close(json, '}');
}

static void print_field(struct wcm_json *json, const char *name, const char *value)
{
	wcm__json_name(json, name, value ? value : "");
}

static void print_other(struct wcm_json *json, const struct recording *recording)
{
	wcm__json_text(json, "displayTimeUnit", "ns");
	wcm__json_open(json, "otherData", '{');
	print_field(json, "command_line", recording->command_line);
	print_field(json, "recorded_time", recording->date);
	print_field(json, "recorder", recording->writer);
	wcm__json_close(json, '}');
}

static void print_trace(struct chrome *chrome)
{
	const struct recording *recording = chrome->reading.recording;
	struct wcm_json *json = &chrome->json;
	struct call call;

	wcm__json_init_for(json, WCM_ESCAPE_JSON, words_to_stdout);
	wcm__json_open(json, NULL, '{');
	wcm__json_open(json, "traceEvents", '[');
	json->lines = json->depth;
	print_tasks(json, recording);
	while (!chrome->failed && reading_next(&chrome->reading, &call)) {
		if (call.kind == CALL_LOST)
			print_lost(json, &call);
		else if (call.kind != CALL_ENTER)
			print_call(chrome, &call);
	}
	wcm__json_close(json, ']');
	json->lines = 0;
	print_other(json, recording);
	wcm__json_close(json, '}');
	wcm__json_finish(json);
}

static int run(struct chrome *chrome)
{
	int status;

	if (!reading_open(&chrome->reading)) {
		reading_close(&chrome->reading);
		return EXIT_PARTLY;
	}
	chrome->ends = calloc(chrome->reading.recording->task_count + 1,
			      sizeof(*chrome->ends));
	chrome->failed = !chrome->ends;
	value_text_init(&chrome->values, chrome->reading.recording);
	print_trace(chrome);
	value_text_close(&chrome->values);
	free(chrome->ends);
	if (chrome->failed)
		recording_complain(chrome->reading.dir, "out of memory");
	status = reading_close(&chrome->reading);
	return chrome->failed ? EXIT_PARTLY : status;
}

static bool apply(void *to, int key, const char *value)
{
	return reading_option(to, key, value);
}

static int cmd_chrome(int argc, char *argv[])
{
	struct chrome chrome = { 0 };
	int status;

	if (!reading_arguments(&chrome.reading, &command_chrome, argc, argv, apply,
			       &chrome.reading, &status))
		return status;
	return run(&chrome);
}

static const struct command_option options[] = { READING_OPTIONS };

const struct command command_chrome = {
	.name = "chrome",
	.operands = "[OPTION...] [DIR]",
	.operand = "[DIR]",
	.summary = "print a recording as JSON for Perfetto",
	.purpose = FOR_RECORDINGS,
	.about =
		"Print a recording as JSON for Perfetto (ui.perfetto.dev), chrome://tracing "
		"and other viewers.",
	.options = options,
	.notes =
		"A call that did not return has the argument \"end\": \"open\" at the end of "
		"the recording, \"cut\" after a jump, an exception or an exec. It has "
		"\"arguments\" and \"retval\" if they were recorded. DIR is uftrace.data by "
		"default.",
	.statuses = READING_STATUS,
	.examples = "whocallme chrome --output=calls.json calls",
	.takes = TAKES_DIRECTORY,
	.run = cmd_chrome,
};
