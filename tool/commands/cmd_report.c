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

#include "base/escape.h"
#include "base/exit_status.h"
#include "base/terminal.h"
#include "commands/reading.h"
#include "format/json.h"
#include "recording/value_text.h"

enum { NO_LIBCALL = OPTION_LONG };

/* What is called.  Words, which the library makes of system calls and probes, tell them from
 * library calls; a probe's name has a colon. */
enum kind { KIND_FUNCTION, KIND_LIBRARY, KIND_SYSTEM, KIND_PROBE };
static const char *const kinds[] = { "FUN", "LIB", "SYS", "PRB" };

struct row {
	const char *name;
	uint64_t total, self, calls, ends, sum, min, max, errors;
	enum kind kind;
};

struct report {
	struct reading reading;
	const char *sort;
	bool json, no_libcall, summary;
	struct value_file words; /* for the summary */
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

static bool is_worded(const struct data_place *data)
{
	return data->kinds.codes && *data->kinds.codes == 'w';
}

/* Whether the words of what CALL gives back, behind their length, are those of an error. */
static bool has_failed(struct report *report, const struct call *call)
{
	unsigned char bytes[6];
	const size_t size = sizeof(bytes);

	return call->back.size >= size && is_worded(&call->back) &&
	       value_file_read(&report->words, call->task->file.path, &call->back, bytes, size) ==
		       size &&
	       memcmp(bytes + 2, "-1 E", 4) == 0;
}

static void find_kind(struct report *report, struct row *row, const struct call *call)
{
	if (!call->frame->function->stub)
		return;
	if (reading_is_system(call->frame->function) ||
	    is_worded(call->kind == CALL_ENTER ? &call->frame->given : &call->back))
		row->kind = strchr(row->name, ':') ? KIND_PROBE : KIND_SYSTEM;
	else if (row->kind == KIND_FUNCTION)
		row->kind = KIND_LIBRARY;
	row->errors += has_failed(report, call);
}

static void count(struct report *report, const struct call *call)
{
	struct row *row = row_of(report, call->frame->function);

	if (!row)
		return;
	row->name = call->frame->function->name;
	if (report->summary)
		find_kind(report, row, call);
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

	int order;

	if (!a->name || !b->name)
		return !a->name - !b->name;
	order = strcmp(a->name, b->name);
	return order != 0 ? order : (int)a->kind - (int)b->kind;
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
	row->errors += other->errors;
}

/* One row a name: functions of one name in several modules share it; in the summary those of one
 * kind. */
static void merge_names(struct report *report)
{
	size_t kept = 0;

	if (report->count == 0)
		return;
	qsort(report->rows, report->count, sizeof(*report->rows), by_name);
	for (size_t i = 0; i < report->count && report->rows[i].name; i++) {
		struct row *last = kept ? &report->rows[kept - 1] : NULL;

		if (last && by_name(last, &report->rows[i]) == 0)
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
	{ "func", 'n' }, { "errors", 'e' },
};

const char report_keys[] = "total self call errors avg min max name";

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
	case 'e':
		return row->errors;
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
	return by_name(a, b);
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

/* The columns of uftrace report, in its order.  A terminal that is too narrow for a name beside
 * all of them has less: the shortest, longest and average time go, in this order. */
static const struct {
	const char *head;
	char key;
	unsigned width; /* below this there is no such column */
} columns[] = {
	{ "  Total time", 't', 0 }, { "   Total avg", 'a', 74 }, { "   Total min", 'm', 98 },
	{ "   Total max", 'x', 86 }, { "   Self time", 's', 0 },
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static bool has_column(int column)
{
	return terminal_width() == 0 || terminal_width() >= columns[column].width;
}

static void print_table_head(void)
{
	static const char line[] = "  ==========";

	terminal_colour(COLOUR_BOLD);
	for (int i = 0; i < COLUMNS; i++)
		fputs(has_column(i) ? columns[i].head : "", stdout);
	puts("       Calls  Function");
	terminal_colour(COLOUR_NONE);
	for (int i = 0; i < COLUMNS; i++)
		fputs(has_column(i) ? line : "", stdout);
	printf("%s%s%s\n", line, line, line + 2);
}

static void print_table(const struct report *report)
{
	print_table_head();
	for (size_t i = 0; i < report->count; i++) {
		const struct row *row = &report->rows[i];

		for (int column = 0; column < COLUMNS; column++) {
			if (!has_column(column))
				continue;
			fputs("  ", stdout);
			terminal_duration(value(row, columns[column].key));
		}
		printf("  %10" PRIu64 "  %s\n", row->calls, row->name);
	}
}

static void print_summary_line(void)
{
	puts("------ ----------- ----------- --------- --------- ---- ----------------");
}

/* A number, or blanks for none. */
static void print_count(uint64_t number)
{
	if (number > 0)
		printf(" %9" PRIu64, number);
	else
		printf(" %9s", "");
}

/* The columns of strace -c and ltrace -c, and the kind of what is called, as the log has it.  Times
 * are those of the calls alone, without what they call: their sum is all there is. */
static void print_summary(const struct report *report)
{
	const double second = 1e9;
	struct row all = { .name = "total" };

	for (size_t i = 0; i < report->count; i++) {
		all.self += report->rows[i].self;
		all.calls += report->rows[i].calls;
		all.errors += report->rows[i].errors;
	}
	if (all.calls == 0) {
		puts("no call was recorded");
		return;
	}
	terminal_colour(COLOUR_BOLD);
	puts("% time     seconds  usecs/call     calls    errors kind name");
	terminal_colour(COLOUR_NONE);
	print_summary_line();
	for (size_t i = 0; i < report->count; i++) {
		const struct row *row = &report->rows[i];

		printf("%6.2f %11.6f %11" PRIu64 " %9" PRIu64,
		       all.self > 0 ? 100. * (double)row->self / (double)all.self : 0.,
		       (double)row->self / second,
		       row->calls > 0 ? row->self / row->calls / 1000 : 0, row->calls);
		print_count(row->errors);
		printf(" %s  %s\n", kinds[row->kind], row->name);
	}
	print_summary_line();
	printf("%6.2f %11.6f %11s %9" PRIu64, 100., (double)all.self / second, "", all.calls);
	print_count(all.errors);
	puts("      total");
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
	if (report->reading.shows)
		reading_show(&report->reading);
	if (report->json)
		print_json(report);
	else if (report->summary)
		print_summary(report);
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
	value_file_close(&report->words);
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
	case 'c':
		return report->summary = true;
	case NO_LIBCALL:
		return report->no_libcall = true;
	default:
		return reading_option(&report->reading, key, value);
	}
}

static int cmd_report(int argc, char *argv[])
{
	struct report report = { 0 };
	int status;

	value_file_init(&report.words);

	if (!reading_arguments(&report.reading, &command_report, argc, argv, apply,
			       &report, &status))
		return status;
	report.reading.shows = !report.json;
	if (!report.sort)
		report.sort = report.summary ? "s" : "t";
	return run(&report);
}

static const struct command_option options[] = {
	{ 's', "sort", .value = "KEY,...", .takes = TAKES_WORDS,
	  .words = report_keys,
	  .brief = "what comes first",
	  .text = "sort by total (default), self, call, errors, avg, min, max or name; the "
		  "second key decides where the first is equal" },
	{ 'c', "summary",
	  .text = "write the table of strace -c: self time, calls, errors of system calls, and "
		  "the kind of each call" },
	{ 'j', "json", .text = "write an array of objects, with times in nanoseconds" },
	{ NO_LIBCALL, "no-libcall", .text = "leave out calls of functions in other modules" },
	TERMINAL_OPTIONS,
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
