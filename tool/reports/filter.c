/* SPDX-License-Identifier: MIT */
/* filter.c - passes an input on, with source lines for its addresses, stacks and reports.
 *
 * The input may be what a program writes as it runs: a line is answered at once,
 * but a stack is held back until it is whole, and a crash report until it is or
 * another begins.
 */
#include "reports/filter.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <whocallme.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/input.h"
#include "base/lines_in.h"
#include "base/report_start.h"
#include "reports/filter_json.h"
#include "reports/log_line.h"
#include "reports/report_json.h"
#include "reports/text_line.h"
#include "resolve/event_line.h"
#include "resolve/inject_line.h"

struct inject_lines {
	const char *program; /* NULL: not known */
	struct wcm_functions *functions; /* NULL: there are none */
	uint64_t bias;       /* how far it was from where it wants to be */
	bool is_loaded, has_bias;
};

/* Where the addresses are in a program that a log of the plugin's runtime has.
 *
 * The log does not say where the program was; but it has the name of the function that holds an
 * address, and programs are moved by whole pages.  So a function of no more than a page tells
 * how far, and for each further address it is checked that the function of that name holds it. */

enum { PAGE = 4096 };

static bool is_named(const struct wcm_function *function, const struct inject_line *line)
{
	const char *name = function->name;

	return strncmp(name, line->name, line->length) == 0 &&
	       (!name[line->length] || name[line->length] == '.' || name[line->length] == '@');
}

/* The index of the first function that is not below ADDRESS. */
static size_t first_at(const struct wcm_functions *functions, uint64_t address)
{
	size_t low = 0, high = wcm_functions_count(functions);

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (wcm_functions_get(functions, middle).address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether LINE has one of the names of the function at ADDRESS: a constructor has several. */
static bool has_name(const struct wcm_functions *functions, uint64_t address,
		     const struct inject_line *line)
{
	struct wcm_function function;

	for (size_t i = first_at(functions, address); i < wcm_functions_count(functions); i++) {
		function = wcm_functions_get(functions, i);
		if (function.address != address)
			break;
		if (is_named(&function, line))
			return true;
	}
	return false;
}

static bool load(struct inject_lines *lines)
{
	if (!lines->is_loaded && lines->program &&
	    wcm_functions_load(&lines->functions, lines->program) != WCM_OK)
		lines->functions = NULL;
	lines->is_loaded = true;
	return lines->functions;
}

/* Whether the function of LINE's name holds its address, where the program is taken to be. */
static bool fits(const struct inject_lines *lines, const struct inject_line *line)
{
	struct wcm_function found;

	return lines->has_bias &&
	       wcm_functions_find(lines->functions, line->ip - lines->bias, &found) &&
	       has_name(lines->functions, found.address, line);
}

/* Find out by LINE how far the program has been moved. */
static bool find_bias(struct inject_lines *lines, const struct inject_line *line)
{
	const size_t count = wcm_functions_count(lines->functions);

	for (size_t i = 0; i < count; i++) {
		const struct wcm_function function = wcm_functions_get(lines->functions, i);

		if (function.size == 0 || function.size > PAGE || !is_named(&function, line))
			continue;
		lines->bias = (line->ip - function.address) & ~(uint64_t)(PAGE - 1);
		lines->has_bias = true;
		if (fits(lines, line))
			return true;
		lines->has_bias = false;
	}
	return false;
}

/* The address of LINE's event in the program's own numbering; false where it is in another
 * module, or cannot be told. */
static bool inject_lines_address(struct inject_lines *lines, const struct inject_line *line,
				 uint64_t *address)
{
	const uint64_t before = lines->bias;
	const bool had = lines->has_bias;

	if (!load(lines))
		return false;
	if (!fits(lines, line) && !find_bias(lines, line)) {
		lines->bias = before;
		lines->has_bias = had;
		return false;
	}
	*address = line->ip - lines->bias;
	return true;
}

static void inject_lines_free(struct inject_lines *lines)
{
	wcm_functions_free(lines->functions);
}

enum {
	MOST_LINE = 64 << 10,
	MOST_REPORT = 64 << 20,
	MOST_OBJECT = REPORT_MOST_BYTES,
	PATIENCE = 500, /* milliseconds, for the next line of a stack */
	LONG_PATIENCE = 20000, /* for the next of a report */
	MOST_OTHERS = 20000, /* lines of other streams, before one that is silent has ended */
};

/* HOLD_PART: of a line that a log has cut. */
enum hold { HOLD_NOTHING, HOLD_PART, HOLD_STACK, HOLD_REPORT };

/* What is held of a stream of a log, or of lines that are in none. */
struct held_stream {
	enum hold hold;
	enum text_kind last; /* line's */
	bool in_modules, in_lines; /* of the report */
	unsigned long line; /* the number of the last line */
};

struct filter {
	struct resolver *resolver;
	const struct filter_options *options;
	const char *name; /* of the input */
	unsigned long line; /* its number */
	struct log_streams streams;
	struct held_stream stream[LOG_STREAMS];
	enum hold hold;  /* the most of them */
	bool too_large;  /* it was written, and so is what follows of it */
	char *held;
	size_t size, room;
	struct event_lines events;
	struct inject_lines injected;
	char *clean; /* the line, without colours */
	size_t clean_room;
	int status;
};

static void release(struct filter *filter)
{
	if (filter->hold == HOLD_REPORT)
		filter->resolver->said_count = 0;
	if (filter->size > 0)
		text_block_write(filter->resolver, stdout, filter->held, filter->size);
	filter->size = 0;
	filter->hold = HOLD_NOTHING;
	filter->too_large = false;
	memset(filter->stream, 0, sizeof(filter->stream));
}

/* Write what is held as it is, and all that follows of it. */
static void give_up(struct filter *filter, const char *why)
{
	fflush(stdout);
	complain("%s:%lu: %s: a report stays as it is", filter->name, filter->line, why);
	filter->status = EXIT_PARTLY;
	fwrite(filter->held, 1, filter->size, stdout);
	filter->size = 0;
	filter->too_large = true;
}

static bool make_room(struct filter *filter, size_t length)
{
	size_t room = filter->room ? filter->room : MOST_LINE;
	char *grown;

	while (room - filter->size < length)
		room *= 2;
	if (room == filter->room)
		return true;
	grown = realloc(filter->held, room);
	if (!grown)
		return false;
	filter->held = grown;
	filter->room = room;
	return true;
}

static void hold(struct filter *filter, const char *text, size_t length)
{
	if (!filter->too_large && filter->size + length > MOST_REPORT)
		give_up(filter, "more than 64 MiB");
	else if (!filter->too_large && !make_room(filter, length))
		give_up(filter, "out of memory");
	if (filter->too_large) {
		fwrite(text, 1, length, stdout);
		return;
	}
	memcpy(filter->held + filter->size, text, length);
	filter->size += length;
}

/* Whether LINE, of KIND, belongs to what is held of its stream. */
static bool goes_on(const struct held_stream *stream, enum text_kind kind, const char *line)
{
	if (kind == TEXT_HEAD)
		return false;
	if (stream->hold == HOLD_REPORT && stream->in_lines)
		return kind == TEXT_LINE || kind == TEXT_LOCATION || kind == TEXT_THREAD ||
		       kind == TEXT_REMARK ||
		       (kind == TEXT_FRAME && strstr(line, " <signal handler called>"));
	if (stream->hold == HOLD_REPORT && stream->in_modules)
		return kind == TEXT_MODULE || kind == TEXT_REMARK || kind == TEXT_LINES;
	if (stream->hold == HOLD_REPORT)
		return !report_starts(line);
	if (kind == TEXT_FRAME && stream->last != TEXT_ONE_OF_ALL)
		return strncmp(line, "#0 ", 3) != 0;
	return kind == TEXT_FRAME || kind == TEXT_ONE_OF_ALL || kind == TEXT_REMARK ||
	       kind == TEXT_LOCATION;
}

/* Whether the line may be an address, and no sentence. */
static bool is_one_word(const char *line)
{
	static const char blank[] = " \t\r\n";
	const char *end = line + strcspn(line, blank);

	return *line == '/' || end[strspn(end, blank)] == '\0';
}

static void write_answer(struct filter *filter, const struct address *address)
{
	const char *complaint = resolver_find(filter->resolver, address);

	if (!filter->resolver->has_file)
		filter->status = EXIT_PARTLY;
	resolver_print(filter->resolver, stdout);
	if (complaint)
		print_complaint(stdout, address, complaint);
}

/* An event of the plugin's runtime: with its function as people name it, and where that is. */
static void write_event(struct filter *filter, const struct inject_line *line, const char *text,
			size_t length)
{
	const size_t name_at = (size_t)(line->name - text);
	char *name = strndup(line->name, line->length), *memory;
	struct address address = { .path = filter->injected.program };

	if (!name) {
		fwrite(text, 1, length, stdout);
		return;
	}
	fwrite(text, 1, name_at, stdout);
	escape_name(stdout, resolver_name(filter->resolver, name, &memory), MOST_NAME);
	fwrite(line->name + line->length, 1, length - name_at - line->length, stdout);
	free(memory);
	free(name);
	if (inject_lines_address(&filter->injected, line, &address.address))
		write_answer(filter, &address);
}

static void write_plain(struct filter *filter, const char *text, size_t length)
{
	struct inject_line event;
	struct address address;
	char *memory;

	if (inject_line(text, &event)) {
		write_event(filter, &event, text, length);
		return;
	}
	fwrite(text, 1, length, stdout);
	memory = event_line(&filter->events, text);
	if (!memory && strstr(text, "+0x") && is_one_word(text))
		memory = strdup(text);
	if (memory && address_parse(&address, memory)) {
		if (text[length - 1] != '\n')
			putchar('\n');
		write_answer(filter, &address);
	}
	free(memory);
}

static void write_object(struct filter *filter, const char *text, size_t length)
{
	char why[FILTER_JSON_WHY];

	if (filter_json(filter->resolver, filter->options->text, text, length, why))
		return;
	fflush(stdout);
	complain("%s:%lu: %s", filter->name, filter->line, why);
	filter->status = EXIT_PARTLY;
}

/* What is too long for an object that might be a report, as it is. */
static void write_part(struct filter *filter, const char *text, size_t length, bool first)
{
	if (first && *text == '{') {
		fflush(stdout);
		complain("%s:%lu: more than %d MiB: an object stays as it is",
			 filter->name, filter->line, MOST_OBJECT >> 20);
		filter->status = EXIT_PARTLY;
	}
	fwrite(text, 1, length, stdout);
}

/* A line of KIND has come in STREAM that what was held of it has no part in, or has. */
static void begin(struct held_stream *stream, enum text_kind kind, const struct log_line *log)
{
	if (kind == TEXT_HEAD)
		stream->hold = HOLD_REPORT;
	else if (stream->hold == HOLD_NOTHING &&
		 (kind == TEXT_FRAME || kind == TEXT_ONE_OF_ALL))
		stream->hold = HOLD_STACK;
	else if (stream->hold == HOLD_NOTHING && log->is_part)
		stream->hold = HOLD_PART;
	stream->in_lines |= kind == TEXT_LINES && stream->hold == HOLD_REPORT;
	stream->in_modules |= kind == TEXT_MODULES && stream->hold == HOLD_REPORT;
	stream->last = kind;
}

static enum hold most_held(const struct filter *filter)
{
	enum hold most = HOLD_NOTHING;

	for (size_t i = 0; i < LOG_STREAMS; i++)
		if (filter->stream[i].hold > most)
			most = filter->stream[i].hold;
	return most;
}

static void write_line(struct filter *filter, const char *text, size_t length, bool whole,
		       bool first)
{
	if (whole && *text == '{')
		write_object(filter, text, length);
	else if (whole)
		write_plain(filter, text, length);
	else
		write_part(filter, text, length, first);
}

/* Find the line's place in a log.  False where it is too long for one of a report. */
static bool read_log(struct filter *filter, const char *text, size_t length,
		     struct log_line *log)
{
	const bool is_long = length >= MOST_LINE;
	char *grown = filter->clean;

	if (is_long && *text != '{' && !report_starts_in(text, length))
		return false;
	if (filter->clean_room <= length)
		grown = realloc(filter->clean, length + MOST_LINE);
	if (!grown)
		return false;
	if (filter->clean_room <= length)
		filter->clean_room = length + MOST_LINE;
	filter->clean = grown;
	memcpy(filter->clean, text, length);
	length = text_strip_colours(filter->clean, length - (text[length - 1] == '\n'));
	log_read(&filter->streams, filter->clean, length, log);
	return true;
}

/* End what is held of STREAM if the line has no part in it. */
static void end_hold(struct filter *filter, struct held_stream *stream, enum text_kind kind,
		     const struct log_line *log)
{
	const bool is_part = stream->hold == HOLD_PART;

	if (stream->hold == HOLD_NOTHING || log->is_part ||
	    (!is_part && goes_on(stream, kind, log->text)))
		return;
	memset(stream, 0, sizeof(*stream));
	/* A line that was cut ends with this part of it. */
	if (!is_part && most_held(filter) == HOLD_NOTHING)
		release(filter);
}

/* A process that has died writes no line that shows the end of its report. */
static void end_silent(struct filter *filter)
{
	for (size_t i = 0; i < LOG_STREAMS; i++)
		if (filter->stream[i].hold != HOLD_NOTHING &&
		    filter->line - filter->stream[i].line > MOST_OTHERS)
			memset(&filter->stream[i], 0, sizeof(filter->stream[i]));
	if (filter->size > 0 && most_held(filter) == HOLD_NOTHING)
		release(filter);
}

/* TEXT is a line, or where not WHOLE a part of one, perhaps its FIRST.  What is held of all
 * streams is written in its order, as soon as none holds any more. */
static void take_line(struct filter *filter, char *text, size_t length, bool whole,
		      bool first)
{
	struct log_line log = { .text = text, .length = length };
	enum text_kind kind = TEXT_OTHER;
	struct held_stream *stream;

	if (whole && read_log(filter, text, length, &log))
		kind = text_kind(log.text);
	stream = &filter->stream[log.stream];
	if (log.taken_from)
		memset(stream, 0, sizeof(*stream));
	end_hold(filter, stream, kind, &log);
	begin(stream, kind, &log);
	stream->line = filter->line;
	end_silent(filter);
	filter->hold = most_held(filter);
	if (filter->hold != HOLD_NOTHING || log.was_parted ||
	    (log.stream > 0 && *log.text == '{'))
		hold(filter, text, length);
	else
		write_line(filter, text, length, whole, first);
	if (filter->hold == HOLD_NOTHING && filter->size > 0)
		release(filter);
}

static int patience_of(const struct filter *filter)
{
	return filter->hold == HOLD_NOTHING ? -1 :
	       filter->hold == HOLD_REPORT  ? LONG_PATIENCE : PATIENCE;
}

static void take_lines(struct filter *filter, struct lines_in *lines)
{
	char *text;
	size_t length;
	bool first;

	for (;;) {
		if (!lines_in_ready(lines))
			fflush(stdout);
		if (ferror(stdout))
			return;
		first = !lines->in_line;
		filter->line += first;
		switch (lines_in_next(lines, patience_of(filter), &text, &length)) {
		case LINES_IN_LINE:
			take_line(filter, text, length, true, first);
			break;
		case LINES_IN_PART:
			take_line(filter, text, length, false, first);
			break;
		case LINES_IN_QUIET:
			filter->line -= first;
			release(filter);
			break;
		case LINES_IN_END:
			release(filter);
			return;
		}
	}
}

static void take_input(struct filter *filter, int fd, const char *name)
{
	struct lines_in lines;

	filter->name = name;
	filter->line = 0;
	filter->events.process = 0;
	lines_in_start(&lines, fd, MOST_LINE, MOST_OBJECT);
	take_lines(filter, &lines);
	if (lines.error != 0) {
		fflush(stdout);
		complain("%s: %s", name, strerror(lines.error));
		filter->status = EXIT_PARTLY;
	}
	lines_in_stop(&lines);
}

static void refuse(struct filter *filter, const char *name, const char *why)
{
	fflush(stdout);
	complain("%s: %s", name, why);
	filter->status = EXIT_PARTLY;
}

/* Whether NAME, which is no file, is meant to be an address: FILE+ADDRESS, +0xADDRESS
 * or 0xADDRESS. */
static bool is_like_address(const char *name)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *plus = strrchr(name, '+');
	const char *number = plus ? plus + 1 : name;

	if (strncmp(number, "0x", 2) == 0)
		number += 2;
	return (plus || number > name) && *number && !number[strspn(number, digits)];
}

static bool is_program(int fd)
{
	char start[SELFMAG];

	return pread(fd, start, sizeof(start), 0) == SELFMAG &&
	       memcmp(start, ELFMAG, SELFMAG) == 0;
}

static void take_file(struct filter *filter, const char *name)
{
	const char *why;
	int fd = input_open(name, &why);

	if (fd >= 0 && is_program(fd))
		refuse(filter, name,
		       "no report, but a binary; an address in it is FILE+0xADDRESS");
	else if (fd >= 0)
		take_input(filter, fd, name);
	else if (is_like_address(name))
		refuse(filter, name,
		       "no such file, and no address, which is FILE+0xADDRESS");
	else
		refuse(filter, name, why);
	if (fd >= 0)
		close(fd);
}

static bool take_address(struct filter *filter, const char *text)
{
	struct address address;
	char *memory = strdup(text);
	bool is_address = memory && address_parse(&address, memory);

	if (is_address) {
		escape_text(stdout, text);
		putchar('\n');
		write_answer(filter, &address);
	}
	free(memory);
	return is_address;
}

int filter(struct resolver *resolver, const struct filter_options *options,
	   char *inputs[])
{
	struct filter filter = {
		.resolver = resolver, .options = options, .status = EXIT_DONE,
		.events.program = options->program, .injected.program = options->program,
	};

	if (!*inputs)
		take_input(&filter, STDIN_FILENO, "stdin");
	for (; *inputs; inputs++)
		if (strcmp(*inputs, "-") == 0)
			take_input(&filter, STDIN_FILENO, "stdin");
		else if (!take_address(&filter, *inputs))
			take_file(&filter, *inputs);
	if (options->program && filter.injected.is_loaded && !filter.injected.functions)
		refuse(&filter, options->program, "no program that has symbols can be read there");
	event_lines_free(&filter.events);
	inject_lines_free(&filter.injected);
	log_free(&filter.streams);
	free(filter.clean);
	free(filter.held);
	return filter.status;
}
