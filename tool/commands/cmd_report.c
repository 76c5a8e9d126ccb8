/* SPDX-License-Identifier: MIT */
/* cmd_report.c - `whocallme report`: the time and number of calls of each function.
 *
 * Time that a function spends in calls of itself counts once in its total.  What had
 * begun before a fork counts for the child from the fork on, and is no call.
 */
#include "commands/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "commands/reading.h"
#include "format/json.h"

enum { NO_LIBCALL = OPTION_LONG };

struct row {
	const char *name;
	uint64_t total, self, calls, ends, sum, min, max;
};

struct report {
	struct reading reading;
	const char *sort;
	bool json, no_libcall;
	struct row *rows; /* by the function's index; later by name, then sorted */
	size_t count;
	bool failed;
};

static uint64_t average(const struct row *row)
{
	return row->ends ? row->sum / row->ends : 0;
}

static struct row *row_of(struct report *report, const struct function *function)
{
	if (function->index >= report->count) {
		size_t count = function->index + function->index / 2 + 64;
		struct row *more = realloc(report->rows, count * sizeof(*more));

		if (!more) {
			report->failed = true;
			return NULL;
		}
		memset(more + report->count, 0,
		       (count - report->count) * sizeof(*more));
		report->rows = more;
		report->count = count;
	}
	return &report->rows[function->index];
}

static void add_time(struct row *row, uint64_t total)
{
	if (row->ends == 0 || total < row->min)
		row->min = total;
	if (total > row->max)
		row->max = total;
	row->sum += total;
	row->ends++;
}

static void count(struct report *report, const struct call *call)
{
	struct row *row = row_of(report, call->frame->function);

	if (!row)
		return;
	row->name = call->frame->function->name;
	if (call->kind == CALL_ENTER) {
		row->calls += !call->frame->assumed;
		return;
	}
	row->self += call->self;
	if (!call->frame->recursive)
		row->total += call->total;
	if (!call->frame->assumed)
		add_time(row, call->total);
}

static int by_name(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (!a->name || !b->name)
		return !a->name - !b->name;
	return strcmp(a->name, b->name);
}

static void merge(struct row *row, const struct row *other)
{
	if (other->ends && (row->ends == 0 || other->min < row->min))
		row->min = other->min;
	if (other->max > row->max)
		row->max = other->max;
	row->total += other->total;
	row->self += other->self;
	row->calls += other->calls;
	row->ends += other->ends;
	row->sum += other->sum;
}

/* One row a name: functions of one name in several modules share it. */
static void merge_names(struct report *report)
{
	size_t kept = 0;

	if (report->count == 0)
		return;
	qsort(report->rows, report->count, sizeof(*report->rows), by_name);
	for (size_t i = 0; i < report->count && report->rows[i].name; i++) {
		struct row *last = kept ? &report->rows[kept - 1] : NULL;

		if (last && strcmp(last->name, report->rows[i].name) == 0)
			merge(last, &report->rows[i]);
		else
			report->rows[kept++] = report->rows[i];
	}
	report->count = kept;
}

static const struct {
	const char *name;
	char key;
} keys[] = {
	{ "total", 't' }, { "self", 's' }, { "call", 'c' }, { "calls", 'c' },
	{ "avg", 'a' }, { "min", 'm' }, { "max", 'x' }, { "name", 'n' },
	{ "func", 'n' },
};

static uint64_t value(const struct row *row, char key)
{
	switch (key) {
	case 't':
		return row->total;
	case 's':
		return row->self;
	case 'c':
		return row->calls;
	case 'a':
		return average(row);
	case 'm':
		return row->min;
	default:
		return row->max;
	}
}

/* SORT: keys in the order in which they decide. */
static int compare(const void *left, const void *right, void *sort)
{
	const struct row *a = left, *b = right;

	for (const char *key = sort; *key && *key != 'n'; key++) {
		uint64_t first = value(a, *key), second = value(b, *key);

		if (first != second)
			return first > second ? -1 : 1;
	}
	return strcmp(a->name, b->name);
}

static char key_called(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strlen(keys[i].name) == length &&
		    strncmp(keys[i].name, name, length) == 0)
			return keys[i].key;
	return '\0';
}

static bool set_sort(struct report *report, const char *text)
{
	static char sort[16];
	size_t count = 0;

	for (const char *name = text;; name++) {
		size_t length = strcspn(name, ",");
		char key = key_called(name, length);

		if (!key || count + 1 == sizeof(sort))
			return false;
		sort[count++] = key;
		name += length;
		if (!*name)
			break;
	}
	sort[count] = '\0';
	report->sort = sort;
	return true;
}

/* The columns of uftrace report, in its order. */
static void print_table(const struct report *report)
{
	static const char line[] = "==========";

	puts("  Total time   Total avg   Total min   Total max   Self time       Calls"
	     "  Function");
	for (int i = 0; i < 6; i++)
		printf("  %s", line);
	printf("  %s%s\n", line, line);
	for (size_t i = 0; i < report->count; i++) {
		const struct row *row = &report->rows[i];
		char text[5][DURATION_SIZE];

		printf("  %s  %s  %s  %s  %s  %10" PRIu64 "  %s\n",
		       duration_text(row->total, text[0]),
		       duration_text(average(row), text[1]),
		       duration_text(row->min, text[2]),
		       duration_text(row->max, text[3]),
		       duration_text(row->self, text[4]), row->calls, row->name);
	}
}

static void print_json(const struct report *report)
{
	struct wcm_json json;

	wcm__json_init_for(&json, WCM_ESCAPE_JSON, words_to_stdout);
	wcm__json_open(&json, NULL, '[');
	json.lines = 1;
	for (size_t i = 0; i < report->count; i++) {
		const struct row *row = &report->rows[i];

		wcm__json_open(&json, NULL, '{');
		wcm__json_name(&json, "name", row->name);
		wcm__json_unsigned(&json, "total", row->total);
		wcm__json_unsigned(&json, "self", row->self);
		wcm__json_unsigned(&json, "calls", row->calls);
		wcm__json_unsigned(&json, "avg", average(row));
		wcm__json_unsigned(&json, "min", row->min);
		wcm__json_unsigned(&json, "max", row->max);
		wcm__json_close(&json, '}');
	}
	wcm__json_close(&json, ']');
	wcm__json_finish(&json);
}

static void print(struct report *report)
{
	merge_names(report);
	if (report->count)
		qsort_r(report->rows, report->count, sizeof(*report->rows), compare,
			(char *)report->sort);
	if (report->json)
		print_json(report);
	else
		print_table(report);
}

static int run(struct report *report)
{
	struct call call;
	int status;

	if (!reading_open(&report->reading)) {
		reading_close(&report->reading);
		return EXIT_PARTLY;
	}
	while (!report->failed && reading_next(&report->reading, &call))
		if (call.kind != CALL_LOST &&
		    !(report->no_libcall && call.frame->function->stub))
			count(report, &call);
	if (report->failed)
		recording_complain(report->reading.dir, "out of memory");
	else
		print(report);
	status = reading_close(&report->reading);
	free(report->rows);
	return report->failed ? EXIT_PARTLY : status;
}

static bool apply(void *to, int key, const char *value)
{
	struct report *report = to;

	switch (key) {
	case 's':
		return set_sort(report, value);
	case 'j':
		return report->json = true;
	case NO_LIBCALL:
		return report->no_libcall = true;
	default:
		return reading_option(&report->reading, key, value);
	}
}

static int cmd_report(int argc, char *argv[])
{
	struct report report = { .sort = "t" };
	int status;

	if (!reading_arguments(&report.reading, &command_report, argc, argv, apply,
			       &report, &status))
		return status;
	return run(&report);
}

static const struct command_option options[] = {
	{ 's', "sort", .value = "KEY,...", .takes = TAKES_WORDS,
	  .words = "total self call avg min max name",
	  .brief = "what comes first",
	  .text = "sort by total (default), self, call, avg, min, max or name; the "
		  "second key decides where the first is equal" },
	{ 'j', "json", .text = "write an array of objects, with times in nanoseconds" },
	{ NO_LIBCALL, "no-libcall", .text = "leave out calls of functions in other modules" },
	READING_OPTIONS,
};

const struct command command_report = {
	.name = "report",
	.operands = "[OPTION...] [DIR]",
	.operand = "[DIR]",
	.summary = "show the time and number of calls of each function",
	.purpose = FOR_RECORDINGS,
	.about =
		"Show for each function of a recording its time with and without what it "
		"called, average, shortest and longest call, and number of calls.",
	.options = options,
	.notes = "DIR is uftrace.data by default.",
	.statuses = READING_STATUS,
	.examples = "whocallme report --sort=self calls",
	.takes = TAKES_DIRECTORY,
	.run = cmd_report,
};
