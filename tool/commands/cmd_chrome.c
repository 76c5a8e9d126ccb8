/* SPDX-License-Identifier: MIT */
/* cmd_chrome.c - `whocallme chrome`: a recording as a Chrome trace.
 *
 * The format is the "Trace Event Format": an X event for each call, with its begin and
 * duration in microseconds.  They come in the order of their ends, so that no more is
 * held than calls are open; viewers sort them.  Of B and E events some viewers keep one
 * stack for all threads of a process.  Names are quoted once, not at each event.
 */
#include "commands/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/json_string.h"
#include "commands/reading.h"
#include "recording/value_text.h"

struct chrome {
	struct reading reading;
	char **quoted; /* names, by the function's index */
	size_t count;
	struct value_text values;
	uint64_t *ends; /* of each task, when its last call ended */
	bool failed;
};

static const char *quoted(struct chrome *chrome, const struct function *function)
{
	if (function->index >= chrome->count) {
		size_t count = function->index + function->index / 2 + 64;
		char **more = realloc(chrome->quoted, count * sizeof(*more));

		if (!more) {
			chrome->failed = true;
			return "\"\"";
		}
		memset(more + chrome->count, 0,
		       (count - chrome->count) * sizeof(*more));
		chrome->quoted = more;
		chrome->count = count;
	}
	if (!chrome->quoted[function->index])
		chrome->quoted[function->index] = json_quoted(function->name);
	if (!chrome->quoted[function->index]) {
		chrome->failed = true;
		return "\"\"";
	}
	return chrome->quoted[function->index];
}

static void print_task_name(const struct task *task, const char *what)
{
	char *name = NULL;

	printf("{\"ph\":\"M\",\"ts\":0,\"pid\":%d,\"tid\":%d,\"name\":\"%s\","
	       "\"args\":{\"name\":", task->pid, task->tid, what);
	if (asprintf(&name, "[%d] %s", task->tid, task_program(task)) < 0)
		name = NULL;
	json_print(name ? name : "?");
	free(name);
	fputs("}}", stdout);
}

static void print_tasks(const struct recording *recording)
{
	const char *comma = "";

	for (size_t i = 0; i < recording->task_count; i++) {
		const struct task *task = recording->tasks[i];

		if (!task->has_file)
			continue;
		fputs(comma, stdout);
		comma = ",\n";
		if (task->pid == task->tid) {
			print_task_name(task, "process_name");
			fputs(comma, stdout);
		}
		print_task_name(task, "thread_name");
	}
}

/* VALUE in decimal, with zeros in front up to WIDTH digits. */
static void put_number(uint64_t value, int width)
{
	char text[24], *end = text + sizeof(text) - 1;

	*end = '\0';
	for (; value != 0 || width > 0; value /= 10, width--)
		*--end = (char)('0' + value % 10);
	fputs_unlocked(end, stdout);
}

/* Nanoseconds as microseconds. */
static void put_time(const char *name, uint64_t time)
{
	fputs_unlocked(name, stdout);
	put_number(time / 1000, 1);
	putc_unlocked('.', stdout);
	put_number(time % 1000, 3);
}

/* What is read of TIME in a file. */
static double microseconds(uint64_t time)
{
	return (double)((long double)(time / 1000) + (time % 1000) / 1000.0L);
}

/* Viewers add durations to times, in binary floating point.  Of calls that end at once
 * the sums may differ in their last bit: then one does not lie within the other any more,
 * and viewers leave some out.  As few more digits as will do have the sum be the end as
 * it would be read. */
static void put_duration(uint64_t start, uint64_t end, bool is_alone)
{
	enum { FEWEST = 3, MOST = 12 };
	double from = microseconds(start), to = microseconds(end);
	double duration = to - from;
	char text[40];

	if (is_alone || from + microseconds(end - start) == to) {
		put_time(",\"dur\":", end - start);
		return;
	}
	for (int digits = FEWEST + 1; digits <= MOST; digits++) {
		snprintf(text, sizeof(text), "%.*f", digits, duration);
		if (from + strtod(text, NULL) == to)
			break;
	}
	fputs_unlocked(",\"dur\":", stdout);
	fputs_unlocked(text, stdout);
}

/* Without printf(), which takes longer than all of the rest. */
static void print_task(const struct task *task)
{
	fputs_unlocked(",\"pid\":", stdout);
	put_number((unsigned)task->pid, 1);
	fputs_unlocked(",\"tid\":", stdout);
	put_number((unsigned)task->tid, 1);
	fputs_unlocked(",\"name\":", stdout);
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

/* A member of "args", of VALUES; *BEFORE is what stands before it. */
static void print_values(struct chrome *chrome, const char **before, const char *name,
			 const struct call_values *values)
{
	char *text = NULL;
	size_t size;
	FILE *made = values->place.size > 0 ? open_memstream(&text, &size) : NULL;

	if (!made)
		return;
	if (value_text_put(&chrome->values, made, "", values) && fflush(made) == 0) {
		fputs_unlocked(*before, stdout);
		printf("\"%s\":", name);
		json_print(text);
		*before = ",";
	}
	fclose(made);
	free(text);
}

static void print_arguments(struct chrome *chrome, const struct call *call)
{
	static const char *const ends[] = { [CALL_CUT] = "cut", [CALL_OPEN] = "open" };
	const struct call_values given = call_given(call), back = call_back(call);
	static const char begin[] = ",\"args\":{";
	const char *before = begin;

	print_values(chrome, &before, "arguments", &given);
	print_values(chrome, &before, "retval", &back);
	if (call->kind != CALL_LEAVE) {
		fputs_unlocked(before, stdout);
		printf("\"end\":\"%s\"", ends[call->kind]);
		before = ",";
	}
	fputs_unlocked(before == begin ? "}" : "}}", stdout);
}

static void print_call(struct chrome *chrome, const struct call *call)
{
	put_time(",\n{\"ph\":\"X\",\"ts\":", call->frame->start);
	/* One that began with the last record would be behind its callers if all ended
	 * there. */
	put_duration(call->frame->start, call->time + (call->kind == CALL_OPEN),
		     ends_alone(chrome, call));
	print_task(call->task);
	fputs_unlocked(quoted(chrome, call->frame->function), stdout);
	print_arguments(chrome, call);
}

static void print_lost(const struct call *call)
{
	put_time(",\n{\"ph\":\"i\",\"ts\":", call->time);
	print_task(call->task);
	printf("\"lost\",\"s\":\"t\",\"args\":{\"events\":%" PRIu64 "}}", call->lost);
}

static void print_field(const char *comma, const char *name, const char *value)
{
	printf("%s\"%s\":", comma, name);
	json_print(value ? value : "");
}

static void print_trace(struct chrome *chrome)
{
	const struct recording *recording = chrome->reading.recording;
	struct call call;

	fputs("{\"traceEvents\":[\n", stdout);
	print_tasks(recording);
	while (!chrome->failed && reading_next(&chrome->reading, &call)) {
		if (call.kind == CALL_LOST)
			print_lost(&call);
		else if (call.kind != CALL_ENTER)
			print_call(chrome, &call);
	}
	fputs("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{", stdout);
	print_field("", "command_line", recording->command_line);
	print_field(",", "recorded_time", recording->date);
	print_field(",", "recorder", recording->writer);
	puts("}}");
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
	for (size_t i = 0; i < chrome->count; i++)
		free(chrome->quoted[i]);
	free(chrome->quoted);
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
	.summary = "a recording as a Chrome trace",
	.about = "Print a recording as JSON that Perfetto (ui.perfetto.dev), "
		 "chrome://tracing and\n"
		 "other viewers of Chrome traces open.  DIR is uftrace.data if not "
		 "given.\n",
	.options = options,
	.notes = "A call that did not return has the argument \"end\": \"open\" where "
		 "the recording\n"
		 "ends, \"cut\" where a jump, an exception or an exec left it; and "
		 "\"arguments\" and\n"
		 "\"retval\" where the recording has them.\n"
		 READING_STATUS,
	.takes = TAKES_DIRECTORY,
	.run = cmd_chrome,
};
