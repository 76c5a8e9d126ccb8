/* SPDX-License-Identifier: MIT */
/* report_text.c - crash reports for people, read back.
 *
 * Line by line: a head begins a report, and what is known to belong to one is taken
 * for its.  Anything may stand in between, as on the stderr of many.
 */
#include "reports/text_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/own_line.h"
#include "reports/report_json.h"

/* Memory that is out leaves a member out. */
static void put_name(json_t *to, const char *key, const char *name)
{
	if (name)
		json_object_set_new(to, key, report_name(name));
}

static void put_hex(json_t *to, const char *key, uint64_t value)
{
	char text[19];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_object_set_new(to, key, json_string(text));
}

static json_t *frames_of(const json_t *report)
{
	return json_object_get(json_object_get(report, "stack"), "frames");
}

static void finish(struct report_text *reading)
{
	reading->finished = reading->report;
	reading->finished_at = reading->begun;
	reading->report = reading->frame = NULL;
}

static bool read_head(struct report_text *reading, char *text, size_t line)
{
	struct text_head head;

	if (!text_read_head(&head, text))
		return false;
	if (reading->report)
		finish(reading);
	reading->report = json_pack("{s:i,s:o,s:{s:s},s:{s:o},s:{s:[]},s:[]}", "version", 1,
				    "name", report_name(head.program), "signal", "name",
				    head.signal, "cause", "text", report_name(head.cause),
				    "stack", "frames", "modules");
	if (!reading->report)
		return false;
	reading->begun = line;
	reading->after_signal = true; /* the fault was at the pc itself */
	reading->in_thread = false;
	return true;
}

static uint64_t number_of(const json_t *frame)
{
	return (uint64_t)json_integer_value(json_object_get(frame, "number"));
}

/* The frame of that number; NULL: none.  FRAMES are in the order of their numbers. */
static json_t *find_frame(const json_t *frames, uint64_t index)
{
	size_t lo = 0, hi = json_array_size(frames);

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (number_of(json_array_get(frames, middle)) < index)
			lo = middle + 1;
		else
			hi = middle;
	}
	return number_of(json_array_get(frames, lo)) == index ? json_array_get(frames, lo)
							      : NULL;
}

/* Whether a frame of that number comes behind FRAMES. */
static bool is_next(const json_t *frames, uint64_t index)
{
	const size_t count = json_array_size(frames);

	return count == 0 || number_of(json_array_get(frames, count - 1)) < index;
}

/* Whether LOCATION is no more than where the frame is: behind a report stands for one
 * without a name MODULE+0xOFFSET, or an address. */
static bool is_nameless(const json_t *frame, const struct text_location *location)
{
	json_t *name;
	bool is_module;

	if (location->file || !location->function)
		return false;
	name = report_name(location->function);
	is_module = json_equal(name, json_object_get(frame, "module"));
	json_decref(name);
	return is_module || strncmp(location->function, "0x", 2) == 0;
}

/* What is known of the frame, below it or behind the report. */
static void add_location(struct report_text *reading, char *text)
{
	struct text_location location;
	json_t *made;

	text_read_location(&location, text);
	if (!location.function || !*location.function || is_nameless(reading->frame, &location))
		return;
	if (!reading->in_lines)
		json_object_set_new(reading->frame, "lines", json_array());
	reading->in_lines = true;
	made = json_object();
	put_name(made, "function", location.function);
	put_name(made, "file", location.file);
	if (location.line > 0)
		json_object_set_new(made, "line", json_integer(location.line));
	if (location.inlined)
		json_object_set_new(made, "inlined", json_true());
	json_array_append_new(json_object_get(reading->frame, "lines"), made);
}

static void add_frame(struct report_text *reading, const struct report_frame *text)
{
	json_t *frame = json_object();

	json_array_append_new(frames_of(reading->report), frame);
	json_object_set_new(frame, "number", json_integer((json_int_t)text->number));
	if (text->is_signal) {
		json_object_set_new(frame, "signal", json_true());
	} else {
		put_hex(frame, "pc", text->pc);
		put_name(frame, "function", text->name);
		put_name(frame, "module", text->path);
		if (text->name)
			put_hex(frame, "offset", text->offset);
		if (text->has_module_offset)
			put_hex(frame, "module_offset", text->module_offset);
		if (reading->after_signal)
			json_object_set_new(frame, "interrupted", json_true());
	}
	reading->after_signal = text->is_signal;
	reading->frame = frame;
}

static bool read_frame(struct report_text *reading, char *line)
{
	struct report_frame frame;

	if (reading->in_thread)
		return true;
	if (!text_read_frame(&frame, line))
		return false;
	reading->in_lines = false;
	reading->frame = find_frame(frames_of(reading->report), frame.number);
	if (!reading->frame && is_next(frames_of(reading->report), frame.number))
		add_frame(reading, &frame);
	return reading->frame != NULL;
}

/* A signature has frames of a recursion only if it is asked for them, and then so many at most. */
enum { MOST_FOLDED = 2048 };

/* The frames of a fold are those before it again.  Of very many, whole rounds are left out. */
static bool read_fold(struct report_text *reading, const char *line)
{
	json_t *frames = frames_of(reading->report);
	const size_t before = json_array_size(frames);
	struct text_fold fold;
	uint64_t number, left;

	if (reading->in_thread)
		return true;
	if (!text_read_fold(&fold, line) || fold.period > before)
		return false;
	number = number_of(json_array_get(frames, before - 1)) + fold.count;
	left = fold.count <= MOST_FOLDED + fold.period
		       ? fold.count
		       : MOST_FOLDED / fold.period * fold.period + fold.count % fold.period;
	if (before > 2 * MOST_FOLDED)
		left = 0;
	while (left-- > 0) {
		json_t *frame = json_copy(json_array_get(frames, json_array_size(frames) -
									 (size_t)fold.period));

		json_object_set_new(frame, "number", json_integer((json_int_t)(number - left)));
		json_array_append_new(frames, frame);
	}
	reading->frame = NULL;
	return true;
}

/* #NUMBER and the first of the frame's lines, which come behind the report. */
static bool read_lines(struct report_text *reading, char *line)
{
	uint64_t index;
	char *location = text_behind_number(line, &index);

	if (!location)
		return false;
	if (reading->in_thread)
		return true;
	reading->in_lines = false;
	reading->frame = find_frame(frames_of(reading->report), index);
	if (reading->frame)
		add_location(reading, location);
	return reading->frame != NULL;
}

static bool read_module(struct report_text *reading, char *line)
{
	struct loaded module;
	json_t *made;

	if (!text_read_module(&module, line))
		return false;
	made = json_object();
	put_hex(made, "start", module.start);
	put_hex(made, "end", module.end);
	put_hex(made, "bias", module.bias);
	put_name(made, "build_id", module.build_id);
	put_name(made, "path", module.path);
	json_array_append_new(json_object_get(reading->report, "modules"), made);
	return true;
}

/* Whether TEXT begins a part of a report that a signature has no use for. */
static bool is_other_part(const char *text)
{
	static const char *const parts[] = {
		"program: ",  "arguments:",    "registers:", "code:",	       "read of ",
		"write to ",  "execution of ", "access to ", "not canonical:", "  ",
		WCM_OWN_LINE, "last calls of this thread (",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strncmp(text, parts[i], strlen(parts[i])) == 0)
			return true;
	return false;
}

static bool read_other(struct report_text *reading, char *text)
{
	if (*text == '#')
		return read_lines(reading, text);
	reading->frame = NULL;
	if (*text == '<')
		reading->in_thread = false;
	return is_other_part(text);
}

bool report_text_read(struct report_text *reading, char *text, size_t line)
{
	const enum text_kind kind = text_kind(text);

	if (kind == TEXT_HEAD)
		return read_head(reading, text, line);
	if (!reading->report)
		return false;
	switch (kind) {
	case TEXT_FRAME:
		return read_frame(reading, text);
	case TEXT_FOLD:
		return read_fold(reading, text);
	case TEXT_LOCATION:
		/* Text of the source, or a complaint in place of a name, is no location. */
		if (reading->frame && *text == ' ' && text[3] != '(')
			add_location(reading, text + 3);
		return true;
	case TEXT_MODULE:
		return read_module(reading, text);
	case TEXT_THREAD:
	case TEXT_ONE_OF_ALL:
		reading->in_thread = true;
		reading->frame = NULL;
		return true;
	case TEXT_REMARK:
	case TEXT_MODULES:
		reading->frame = NULL;
		return true;
	default:
		return read_other(reading, text);
	}
}

void report_text_end(struct report_text *reading)
{
	if (reading->report)
		finish(reading);
}
