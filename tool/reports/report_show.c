/* SPDX-License-Identifier: MIT */
/* report_show.c - writes a report in JSON as people read it.
 *
 * Fills the structs of format/text.h, as the crashed process does.  Strings may hold anything,
 * whatever the schema says: they are escaped once more.
 */
#include "reports/report_json.h"

#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "base/escape.h"
#include "base/hash.h"
#include "format/text.h"

/* STRING, "" if it is none. */
static const char *text_of(const json_t *string)
{
	return json_is_string(string) ? json_string_value(string) : "";
}

static const char *string_of(const json_t *object, const char *name)
{
	return text_of(json_object_get(object, name));
}

static json_int_t integer_of(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static bool is_set(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

/* Have STRING be what it was before it was escaped, demangled if it can be; or IS_SHOWN: escaped,
 * which it may not be yet.  What is beyond MOST_NAME becomes "...". */
static void restore_string(json_t *string, bool demangle, bool is_shown)
{
	char *name = strdup(json_string_value(string)), *plain = NULL, *text = NULL;
	json_t *shown = NULL;

	if (name)
		unescape(name);
	if (name && demangle)
		plain = wcm_name_demangle(name);
	if (name && is_shown)
		shown = report_name(name);
	else if (name && asprintf(&text, "%.*s%s", MOST_NAME, plain ? plain : name,
				  strlen(plain ? plain : name) > MOST_NAME ? "..." : "") < 0)
		text = NULL;
	/* Out of memory, it becomes nothing: as it was it must not be shown. */
	if (json_string_set_nocheck(string, shown ? json_string_value(shown) : text) != 0)
		*(char *)json_string_value(string) = '\0';
	json_decref(shown);
	free(text);
	free(plain);
	free(name);
}

/* All strings in JSON, but for text of sources.  Names are those of frames, which may have to be
 * demangled, or ARE_SHOWN: those of source lines. */
static void restore(json_t *json, bool demangle, bool are_shown)
{
	json_t *member;
	const char *key;
	size_t i;

	json_object_foreach(json, key, member)
		if (json_is_string(member))
			restore_string(member, demangle && strcmp(key, "function") == 0,
				       are_shown);
		else if (strcmp(key, "lines") == 0)
			restore(member, false, true);
		else if (strcmp(key, "source") != 0)
			restore(member, demangle, are_shown);
	json_array_foreach(json, i, member)
		if (json_is_string(member))
			restore_string(member, false, are_shown);
		else
			restore(member, demangle, are_shown);
}

/* A report that is shown.  What LINE has gathered goes to stdout. */
struct shown {
	const struct resolver *resolver;
	unsigned digits; /* of an address of the program */
	struct wcm_line line;
};

static bool put(void *to, const struct iovec *part, int count)
{
	for (int i = 0; i < count; i++)
		fwrite(part[i].iov_base, 1, part[i].iov_len, to);
	return true;
}

static uint64_t number_of(const json_t *object, const char *name)
{
	const char *end;
	uint64_t number = 0;

	address_number(string_of(object, name), &number, &end);
	return number;
}

static void show_head(struct shown *shown, const json_t *report)
{
	const json_t *signal = json_object_get(report, "signal");
	const json_t *thread = json_object_get(report, "thread");
	const json_t *cause = json_object_get(report, "cause");
	const struct wcm_head_fact head = {
		.program = string_of(report, "name"),
		.thread = string_of(thread, "name"),
		.signal = string_of(signal, "name"),
		.signal_text = string_of(signal, "text"),
		.cause = { .before = "", .name = string_of(cause, "text") },
		.process = integer_of(report, "process"),
		.thread_id = integer_of(thread, "id"),
		.has_address = json_object_get(signal, "address"),
		.has_sender = json_object_get(signal, "sender") &&
			      strcmp(string_of(cause, "kind"), "abort") != 0,
		.address = number_of(signal, "address"),
		.sender = integer_of(signal, "sender"),
	};

	wcm__text_signal(&shown->line, &head, shown->digits);
	wcm__text_process(&shown->line, &head);
}

static void show_program(struct shown *shown, const json_t *program)
{
	const json_t *argument, *arguments = json_object_get(program, "arguments");
	size_t i;

	if (!program)
		return;
	wcm__text_program(&shown->line, string_of(program, "path"));
	if (json_array_size(arguments) == 0)
		return;
	wcm__line_text(&shown->line, "arguments:");
	json_array_foreach(arguments, i, argument)
		wcm__text_argument(&shown->line, text_of(argument));
	wcm__line_text(&shown->line,
		       is_set(program, "more_arguments") ? " (and more)\n" : "\n");
}

/* What FRAME of the report says, as the library has found it. */
static struct wcm_frame_fact fact_of(const json_t *frame)
{
	struct wcm_frame_fact fact = {
		.number = (uint64_t)integer_of(frame, "number"),
		.pc = number_of(frame, "pc"),
		.flags = (is_set(frame, "signal") ? WCM_FRAME_SIGNAL : 0) |
			 (is_set(frame, "guessed") ? WCM_FRAME_GUESSED : 0),
		.symbol = {
			.flags = (is_set(frame, "cold") ? WCM_SYMBOL_COLD : 0) |
				 (is_set(frame, "part") ? WCM_SYMBOL_PART : 0) |
				 (is_set(frame, "unloaded") ? WCM_SYMBOL_UNLOADED : 0),
			.offset = number_of(frame, "offset"),
			.module_offset = number_of(frame, "module_offset"),
		},
	};

	if (json_object_get(frame, "function"))
		fact.symbol.name = string_of(frame, "function");
	if (*string_of(frame, "module"))
		fact.symbol.module = string_of(frame, "module");
	return fact;
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

static uint32_t small_of(const json_t *object, const char *name)
{
	const json_int_t number = integer_of(object, name);

	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static void show_location(struct shown *shown, const json_t *location)
{
	const struct wcm_answered answered = {
		.function = json_object_get(location, "function")
				    ? string_of(location, "function") : NULL,
		.file = *string_of(location, "file") ? string_of(location, "file") : NULL,
		.line = small_of(location, "line"),
		.column = small_of(location, "column"),
		.inlined = is_set(location, "inlined"),
	};

	wcm__line_text(&shown->line, "   ");
	wcm__text_location(&shown->line, &answered);
	wcm__line_text(&shown->line, "\n");
	wcm__line_write(&shown->line);
	show_source(location, shown->resolver->colour);
}

/* Whether LINES say more than the frame does. */
static bool say_more(const json_t *lines, const json_t *frame)
{
	return json_array_size(lines) > 1 || !json_object_get(frame, "function") ||
	       json_object_get(json_array_get(lines, 0), "file");
}

static void show_frame(struct shown *shown, const json_t *frame)
{
	const struct wcm_text_style style = {
		json_object_get(frame, "pc") ? shown->digits : 0, wcm__line_name
	};
	const json_t *location, *lines = json_object_get(frame, "lines");
	const struct wcm_frame_fact fact = fact_of(frame);
	size_t i;

	wcm__text_frame(&shown->line, &fact, &style);
	if (is_set(frame, "signal") || !say_more(lines, frame))
		return;
	json_array_foreach(lines, i, location)
		show_location(shown, location);
}

/* Why STACK ends where it does, by its name in the schema. */
static void show_stop(struct shown *shown, const json_t *stack)
{
	const char *name = string_of(stack, "stop"), *why = string_of(stack, "stop_why");

	for (unsigned i = 0; i < WCM_STOPS; i++)
		if (strcmp(name, wcm__stop_names[i]) == 0)
			wcm__text_stop(&shown->line, (enum wcm_stop)i, *why ? why : NULL);
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

/* RUN's frames repeat those in front of the one at AT. */
static void show_run(struct shown *shown, const json_t *run, const json_t *frames, size_t at)
{
	struct wcm_round_fact round = {
		.count = (uint64_t)integer_of(run, "count"),
		.period = (uint64_t)integer_of(run, "period"),
	};

	for (size_t i = 0; i < round.period && i < WCM_ROUND_NAMED; i++)
		round.frame[i] = fact_of(json_array_get(frames, at - (size_t)round.period + i));
	wcm__text_round(&shown->line, &round, wcm__line_name);
}

/* Frames of a run are passed over; those that are left out without one are counted. */
static void show_stack(struct shown *shown, const json_t *stack)
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
			show_run(shown, run, frames, i);
			next = number + integer_of(run, "count");
			continue;
		}
		if (number > next)
			wcm__text_gap(&shown->line, (uint64_t)(number - next));
		next = number + 1;
		show_frame(shown, frame);
	}
	show_stop(shown, stack);
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
static void add_ids(struct shown *shown, const json_t *threads, uint64_t *keys, size_t i)
{
	const uint64_t key = keys[i];
	size_t listed = 0, row;

	for (; i < json_array_size(threads); i += row) {
		const json_t *thread = json_array_get(threads, i);

		row = 1;
		if (keys[i] != key)
			continue;
		row = key ? count_row(threads, keys, i) : 1;
		wcm__text_threads_row(&shown->line, listed++, integer_of(thread, "id"),
				      integer_of(thread, "id") + (json_int_t)row - 1,
				      string_of(thread, "name"));
		memset(keys + i, 0, row * sizeof(*keys));
		if (!key)
			return;
	}
}

static void show_thread(struct shown *shown, const json_t *threads, uint64_t *keys, size_t i)
{
	const json_t *thread = json_array_get(threads, i);
	const uint64_t key = keys[i];
	uint64_t count = 0;

	for (size_t other = i; key && other < json_array_size(threads); other++)
		count += keys[other] == key;
	wcm__text_threads_begin(&shown->line, count);
	add_ids(shown, threads, keys, i);
	wcm__text_threads_end(&shown->line, is_set(thread, "answered"), is_set(thread, "blocked"));
	show_stack(shown, json_object_get(thread, "stack"));
}

/* Threads of one stack together, the first of them first.  Of a report with more threads than
 * processes have, each by itself. */
static void show_threads(struct shown *shown, const json_t *threads)
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
			show_thread(shown, threads, keys, i);
	free(keys);
	free(alone);
}

void report_show(json_t *report, const struct resolver *resolver)
{
	struct shown shown = {
		.resolver = resolver,
		.digits = integer_of(report, "address_bits") == 32 ? 8 : 16,
	};
	const json_t *item;
	size_t i;

	restore(report, resolver->demangle, false);
	wcm__line_init(&shown.line, -1);
	shown.line.colours = resolver->colour;
	shown.line.sink = put;
	shown.line.to = stdout;
	show_head(&shown, report);
	show_stack(&shown, json_object_get(report, "stack"));
	show_program(&shown, json_object_get(report, "program"));
	show_threads(&shown, json_object_get(report, "threads"));
	json_array_foreach(json_object_get(report, "complaints"), i, item) {
		wcm__line_text(&shown.line, "(");
		wcm__line_name(&shown.line, text_of(item));
		wcm__line_text(&shown.line, ")\n");
	}
	wcm__line_write(&shown.line);
}
