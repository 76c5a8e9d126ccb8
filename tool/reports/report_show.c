/* SPDX-License-Identifier: MIT */
/* report_show.c - writes a report in JSON as people read it.
 *
 * In the form of whocallme/crash/report/form_text.c and core/report/text.c.  Strings that may hold
 * anything, whatever the schema says, are written by put() alone.
 */
#include "reports/report_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "base/escape.h"
#include "base/hash.h"
#include "format/own_line.h"

/* The member NAME of OBJECT, "" where there is no such string. */
static const char *string_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

static json_int_t integer_of(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static bool is_set(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

/* A name that is escaped, if it comes from whom it should, and is so here in any
 * case; DEMANGLED as people write it. */
static void put(const char *escaped, bool demangled)
{
	char *name = strdup(escaped), *plain;

	if (!name)
		return;
	unescape(name);
	plain = demangled ? wcm_name_demangle(name) : NULL;
	escape_name(stdout, plain ? plain : name, MOST_NAME);
	free(plain);
	free(name);
}

static uint64_t number_of(const json_t *object, const char *name)
{
	const char *end;
	uint64_t number = 0;

	address_number(string_of(object, name), &number, &end);
	return number;
}

/* As the library writes it: all digits that an address of the program has. */
static void show_address(uint64_t address, int digits)
{
	printf("0x%0*" PRIx64, digits, address);
}

static void show_head(const json_t *report, int digits, bool colour)
{
	const json_t *signal = json_object_get(report, "signal");
	const json_t *thread = json_object_get(report, "thread");

	fputs(colour ? "\033[1;31m" WCM_OWN_LINE : WCM_OWN_LINE, stdout);
	put(string_of(report, "name"), false);
	fputs(": ", stdout);
	put(string_of(signal, "name"), false);
	fputs(", ", stdout);
	put(string_of(signal, "text"), false);
	fputs(": ", stdout);
	put(string_of(json_object_get(report, "cause"), "text"), false);
	if (json_object_get(signal, "address")) {
		fputs(", at ", stdout);
		show_address(number_of(signal, "address"), digits);
	} else if (json_object_get(signal, "sender") &&
		   strcmp(string_of(json_object_get(report, "cause"), "kind"), "abort") != 0) {
		printf(", by process %" JSON_INTEGER_FORMAT,
		       integer_of(signal, "sender"));
	}
	puts(colour ? "\033[0m" : "");
	printf(WCM_OWN_LINE "process %" JSON_INTEGER_FORMAT
	       ", thread %" JSON_INTEGER_FORMAT " \"",
	       integer_of(report, "process"), integer_of(thread, "id"));
	put(string_of(thread, "name"), false);
	puts("\"");
}

static void show_program(const json_t *program)
{
	const json_t *argument, *arguments = json_object_get(program, "arguments");
	size_t i;

	if (!program)
		return;
	fputs("program: ", stdout);
	put(string_of(program, "path"), false);
	putchar('\n');
	if (json_array_size(arguments) == 0)
		return;
	fputs("arguments:", stdout);
	json_array_foreach(arguments, i, argument) {
		const char *text = json_string_value(argument);

		putchar(' ');
		put(text ? text : "", false);
	}
	puts(is_set(program, "more_arguments") ? " (and more)" : "");
}

static void show_symbol(const json_t *frame, bool demangle)
{
	const char *module = string_of(frame, "module");

	if (json_object_get(frame, "function")) {
		put(string_of(frame, "function"), demangle);
		fputs(is_set(frame, "part") ? " [part]" : "", stdout);
		printf("%s+0x%" PRIx64, is_set(frame, "cold") ? " [cold]" : "",
		       number_of(frame, "offset"));
	} else {
		fputs("??", stdout);
	}
	if (*module) {
		fputs(" (", stdout);
		put(module, false);
		printf("+0x%" PRIx64 "%s)", number_of(frame, "module_offset"),
		       is_set(frame, "unloaded") ? ", unloaded" : "");
	}
}

static void show_source(const json_t *location, bool colour)
{
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(location, "source"), i, line) {
		const json_int_t number = integer_of(line, "line");
		const json_t *text = json_object_get(line, "text");

		print_source_line(stdout, (unsigned)number,
				  number == integer_of(location, "line"),
				  json_string_value(text), json_string_length(text),
				  colour);
	}
}

static void show_location(const json_t *location, bool colour)
{
	const char *file = string_of(location, "file");
	const json_int_t line = integer_of(location, "line");
	const json_int_t column = integer_of(location, "column");

	fputs("   ", stdout);
	put(json_object_get(location, "function") ? string_of(location, "function") : "??",
	    false);
	if (*file) {
		fputs(colour ? " at \033[36m" : " at ", stdout);
		put(file, false);
		if (line > 0)
			printf(":%" JSON_INTEGER_FORMAT, line);
		if (line > 0 && column > 0)
			printf(":%" JSON_INTEGER_FORMAT, column);
		fputs(colour ? "\033[0m" : "", stdout);
	}
	puts(is_set(location, "inlined") ? " (inlined)" : "");
	show_source(location, colour);
}

/* Whether LINES say more than the frame does. */
static bool say_more(const json_t *lines, const json_t *frame)
{
	return json_array_size(lines) > 1 || !json_object_get(frame, "function") ||
	       json_object_get(json_array_get(lines, 0), "file");
}

static void show_frame(const json_t *frame, int digits, const struct resolver *resolver)
{
	const json_t *location, *lines = json_object_get(frame, "lines");
	size_t i;

	printf("#%" JSON_INTEGER_FORMAT " ", integer_of(frame, "number"));
	if (is_set(frame, "signal")) {
		fputs("<signal handler called>", stdout);
	} else {
		if (json_object_get(frame, "pc")) {
			fputs(resolver->colour ? "\033[2m" : "", stdout);
			show_address(number_of(frame, "pc"), digits);
			fputs(resolver->colour ? "\033[0m " : " ", stdout);
		}
		fputs("in ", stdout);
		show_symbol(frame, resolver->demangle);
	}
	puts(is_set(frame, "guessed") ? " ?" : "");
	if (is_set(frame, "signal") || !say_more(lines, frame))
		return;
	json_array_foreach(lines, i, location)
		show_location(location, resolver->colour);
}

/* Why STACK ends where it does, by its name in the schema. */
static void show_stop(const json_t *stack)
{
	static const struct {
		const char *name;
		enum wcm_stop stop;
	} stops[] = {
		{ "full", WCM_STOP_FULL },
		{ "no_rule", WCM_STOP_NO_RULE },
		{ "bad_frame", WCM_STOP_BAD_FRAME },
		{ "unreadable", WCM_STOP_UNREADABLE },
	};
	const char *name = string_of(stack, "stop"), *why = string_of(stack, "stop_why");

	if (strcmp(name, "none") == 0)
		puts("(the stack goes on: out of time)");
	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		if (strcmp(name, stops[i].name) == 0) {
			printf("(the stack may go on: %s%s", wcm_stop_text(stops[i].stop),
			       *why ? ": " : "");
			put(why, false);
			puts(")");
		}
}

/* The run of FRAMES that begins with frame number FIRST, or NULL; its round must be there. */
static const json_t *run_at(const json_t *stack, json_int_t first, size_t before)
{
	enum { MOST_FOLDS = 64 }; /* the library writes no more */
	const json_t *run;
	size_t i;

	json_array_foreach(json_object_get(stack, "folds"), i, run) {
		const json_int_t count = integer_of(run, "count");
		const json_int_t period = integer_of(run, "period");

		if (i == MOST_FOLDS)
			break;
		if (integer_of(run, "first") == first && count > 0 && count < INT64_MAX - first &&
		    period > 0 && (uint64_t)period <= before)
			return run;
	}
	return NULL;
}

/* As the library does for people: RUN's frames repeat those in front of the one at AT. */
static void show_run(const json_t *run, const json_t *frames, size_t at, bool demangle)
{
	enum { MOST_NAMES = 4 };
	const json_int_t period = integer_of(run, "period");

	printf("... %" JSON_INTEGER_FORMAT " more of ", integer_of(run, "count"));
	for (json_int_t i = 0; i < period && i < MOST_NAMES; i++) {
		const json_t *frame = json_array_get(frames, at - (size_t)(period - i));

		fputs(i > 0 ? ", " : "", stdout);
		if (is_set(frame, "signal"))
			fputs("<signal handler called>", stdout);
		else if (json_object_get(frame, "function"))
			put(string_of(frame, "function"), demangle);
		else
			put(string_of(frame, "module"), false),
				printf("+0x%" PRIx64, number_of(frame, "module_offset"));
	}
	fputs(period > MOST_NAMES ? ", ..." : "", stdout);
	if (period > 1)
		printf(", in rounds of %" JSON_INTEGER_FORMAT, period);
	putchar('\n');
}

/* Frames of a run are passed over; those that are left out without one are counted. */
static void show_stack(const json_t *stack, int digits, const struct resolver *resolver)
{
	const json_t *frames = json_object_get(stack, "frames"), *frame, *run;
	json_int_t next = 0, number;
	size_t i;

	json_array_foreach(frames, i, frame) {
		number = integer_of(frame, "number");
		if (number < next || number == INT64_MAX)
			continue;
		run = run_at(stack, number, i);
		if (run) {
			show_run(run, frames, i, resolver->demangle);
			next = number + integer_of(run, "count");
			continue;
		}
		if (number > next)
			printf("(%" JSON_INTEGER_FORMAT " frame%s left out)\n",
			       number - next, number - next == 1 ? "" : "s");
		next = number + 1;
		show_frame(frame, digits, resolver);
	}
	show_stop(stack);
}

/* What threads of one stack have in common: its addresses.  0: nothing is known of them. */
static uint64_t stack_key(const json_t *thread)
{
	const json_t *stack = json_object_get(thread, "stack"), *frame;
	const json_t *frames = json_object_get(stack, "frames");
	uint64_t key = hash_more(HASH_OF_NOTHING, string_of(stack, "stop"),
				 strlen(string_of(stack, "stop")) + 1);
	const char flags[] = { is_set(thread, "answered"), is_set(thread, "blocked") };
	size_t i;

	key = hash_more(key, flags, sizeof(flags));
	json_array_foreach(frames, i, frame) {
		const char *pc = string_of(frame, "pc");

		if (!*pc)
			return 0;
		key = hash_more(key, pc, strlen(pc) + 1);
	}
	return key ? key : 1;
}

/* How many threads from number I on follow each other with one name and stack. */
static size_t count_row(const json_t *threads, const uint64_t *keys, size_t i)
{
	const json_t *first = json_array_get(threads, i), *next;
	size_t row = 1;

	while ((next = json_array_get(threads, i + row)) && keys[i + row] == keys[i] &&
	       (uint64_t)integer_of(next, "id") - row == (uint64_t)integer_of(first, "id") &&
	       strcmp(string_of(next, "name"), string_of(first, "name")) == 0)
		row++;
	return row;
}

/* The ids and names of those from number I on that have its key, which is cleared. */
static void show_ids(const json_t *threads, uint64_t *keys, size_t i)
{
	const uint64_t key = keys[i];
	size_t listed = 0, row;

	for (; i < json_array_size(threads); i += row) {
		const json_t *thread = json_array_get(threads, i);

		row = 1;
		if (keys[i] != key)
			continue;
		row = key ? count_row(threads, keys, i) : 1;
		fputs(listed == 0 ? " " : listed % 6 == 0 ? ",\n  " : ", ", stdout);
		printf("%" JSON_INTEGER_FORMAT, integer_of(thread, "id"));
		if (row > 1)
			printf("-%" JSON_INTEGER_FORMAT, integer_of(thread, "id") +
								 (json_int_t)row - 1);
		fputs(" \"", stdout);
		put(string_of(thread, "name"), false);
		putchar('"');
		listed++;
		memset(keys + i, 0, row * sizeof(*keys));
		if (!key)
			return;
	}
}

static void show_thread(const json_t *threads, uint64_t *keys, size_t i, int digits,
			const struct resolver *resolver)
{
	const json_t *thread = json_array_get(threads, i);
	const uint64_t key = keys[i];
	size_t count = 0;

	for (size_t other = i; key && other < json_array_size(threads); other++)
		count += keys[other] == key;
	if (count > 1)
		printf("%zu threads", count);
	else
		fputs("thread", stdout);
	show_ids(threads, keys, i);
	puts(is_set(thread, "answered")	 ? ":"
	     : is_set(thread, "blocked") ? " did not answer: has blocked signals"
					 : " did not answer");
	show_stack(json_object_get(thread, "stack"), digits, resolver);
}

/* Threads of one stack together, the first of them first.  Of a report with more threads than
 * processes have, each by itself. */
static void show_threads(const json_t *threads, int digits, const struct resolver *resolver)
{
	enum { MOST_GROUPED = 8192 };
	const size_t count = json_array_size(threads);
	uint64_t *keys = calloc(count + 1, sizeof(*keys));
	bool *alone = calloc(count + 1, sizeof(*alone));

	for (size_t i = 0; keys && alone && i < count; i++) {
		if (count <= MOST_GROUPED)
			keys[i] = stack_key(json_array_get(threads, i));
		alone[i] = keys[i] == 0;
	}
	for (size_t i = 0; keys && alone && i < count; i++)
		if (keys[i] || alone[i])
			show_thread(threads, keys, i, digits, resolver);
	free(keys);
	free(alone);
}

void report_show(const json_t *report, const struct resolver *resolver)
{
	const int digits = integer_of(report, "address_bits") == 32 ? 8 : 16;
	const json_t *item;
	size_t i;

	show_head(report, digits, resolver->colour);
	show_stack(json_object_get(report, "stack"), digits, resolver);
	show_program(json_object_get(report, "program"));
	show_threads(json_object_get(report, "threads"), digits, resolver);
	json_array_foreach(json_object_get(report, "complaints"), i, item) {
		fputs("(", stdout);
		put(json_is_string(item) ? json_string_value(item) : "", false);
		puts(")");
	}
}
