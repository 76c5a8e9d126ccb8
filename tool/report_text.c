/* SPDX-License-Identifier: MIT */
/* report_text.c - crash reports for people, read back.
 *
 * Line by line: a head begins a report, and what is known to belong to one is taken
 * for its.  Anything may stand in between, as on the stderr of many.
 */
#include "report_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static void put_text(json_t *to, const char *key, const char *text)
{
	json_object_set_new(to, key, json_string(text));
}

static void put_hex(json_t *to, const char *key, uint64_t value)
{
	char text[19];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	put_text(to, key, text);
}

static uint64_t number(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? strtoull(text, NULL, 16) : 0;
}

/* End TEXT before the last AT in it; what is behind AT, or NULL. */
static char *split_last(char *text, const char *at)
{
	char *found = NULL, *next = text;

	while ((next = strstr(next, at)))
		found = next++;
	if (!found)
		return NULL;
	*found = '\0';
	return found + strlen(at);
}

static char *split_first(char *text, const char *at)
{
	char *found = strstr(text, at);

	if (!found)
		return NULL;
	*found = '\0';
	return found + strlen(at);
}

/* With the pc in the numbering of its module, which comes after the stack. */
static void place_frame(json_t *frame, const json_t *modules)
{
	const uint64_t pc = number(frame, "pc");
	const json_t *module;
	size_t i;

	if (!json_object_get(frame, "module"))
		return;
	json_array_foreach(modules, i, module)
		if (pc >= number(module, "start") && pc <= number(module, "end") &&
		    json_equal(json_object_get(module, "path"),
			       json_object_get(frame, "module")))
			put_hex(frame, "module_offset",
				pc - number(module, "bias"));
}

static json_t *frames_of(const json_t *report)
{
	return json_object_get(json_object_get(report, "stack"), "frames");
}

static void finish(struct report_text *reading)
{
	json_t *frame;
	size_t i;

	json_array_foreach(frames_of(reading->report), i, frame)
		place_frame(frame, json_object_get(reading->report, "modules"));
	reading->finished = reading->report;
	reading->finished_at = reading->begun;
	reading->report = reading->frame = NULL;
}

/* NAME: SIGNAL, TEXT: CAUSE[, at ADDRESS...][, by process PID] */
static bool read_head(struct report_text *reading, char *name, size_t line)
{
	char *signal = split_last(name, ": SIG"), *text, *cause;

	if (!signal || !(text = split_first(signal, ", ")) ||
	    !(cause = split_first(text, ": ")))
		return false;
	split_last(cause, ", at 0x");
	split_last(cause, ", by process ");
	if (reading->report)
		finish(reading);
	reading->report = json_pack("{s:i,s:s,s:{s:s+},s:{s:s},s:{s:[]},s:[]}",
				    "version", 1, "name", name, "signal", "name",
				    "SIG", signal, "cause", "text", cause, "stack",
				    "frames", "modules");
	if (!reading->report)
		return false;
	reading->begun = line;
	reading->after_signal = true; /* the fault was at the pc itself */
	reading->in_thread = false;
	return true;
}

/* FUNCTION[ [cold]]+0xOFFSET (MODULE[, unloaded]), or ?? (MODULE+0xOFFSET), or ?? */
static void read_site(json_t *frame, char *text)
{
	char *module = split_first(text, " ("), *offset;

	if (module && !split_last(module, ", unloaded)"))
		split_last(module, ")");
	if (begins(text, "??")) {
		offset = module ? split_last(module, "+0x") : NULL;
		if (offset)
			put_hex(frame, "module_offset", strtoull(offset, NULL, 16));
	} else {
		offset = split_last(text, "+0x");
		put_hex(frame, "offset", offset ? strtoull(offset, NULL, 16) : 0);
		split_last(text, " [cold]");
		put_text(frame, "function", text);
	}
	if (module)
		put_text(frame, "module", module);
}

static json_t *find_frame(const json_t *frames, json_int_t index)
{
	json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
		if (json_integer_value(json_object_get(frame, "number")) == index)
			return frame;
	return NULL;
}

/*    FUNCTION[ at FILE[:LINE[:COLUMN]]][ (inlined)], below its frame */
static bool read_line(struct report_text *reading, char *text)
{
	const bool inlined = split_last(text, " (inlined)") != NULL;
	char *file = split_last(text, " at "), *line, *column;
	json_t *lines, *made;

	if (!file)
		split_last(text, "+0x");
	if (reading->in_thread || !reading->frame || !*text || *text == '(' ||
	    begins(text, "??"))
		return reading->in_thread || reading->frame;
	if (!reading->in_lines)
		json_object_set_new(reading->frame, "lines", json_array());
	reading->in_lines = true;
	lines = json_object_get(reading->frame, "lines");
	made = json_object();
	put_text(made, "function", text);
	column = file ? split_last(file, ":") : NULL;
	line = column ? split_last(file, ":") : NULL;
	if (file)
		put_text(made, "file", file);
	if (column)
		json_object_set_new(made, "line",
				    json_integer(strtol(line ? line : column, NULL,
							10)));
	if (inlined)
		json_object_set_new(made, "inlined", json_true());
	json_array_append_new(lines, made);
	return true;
}

/* Add frame INDEX of the stack: where SITE is not NULL, at the pc that PC begins
 * with; else of a signal's delivery. */
static void add_frame(struct report_text *reading, json_int_t index, const char *pc,
		      char *site)
{
	json_t *frame = json_object();

	json_array_append_new(frames_of(reading->report), frame);
	json_object_set_new(frame, "number", json_integer(index));
	if (site) {
		put_hex(frame, "pc", strtoull(pc, NULL, 16));
		read_site(frame, site);
	} else {
		json_object_set_new(frame, "signal", json_true());
	}
	if (site && reading->after_signal)
		json_object_set_new(frame, "interrupted", json_true());
	reading->after_signal = !site;
	reading->frame = frame;
}

/* #NUMBER PC in SITE, or #NUMBER <signal handler called>.  Source lines that come
 * behind the report have one once more, or #NUMBER and the first of them. */
static bool read_frame(struct report_text *reading, char *text)
{
	char *rest;
	const json_int_t index = strtol(text + 1, &rest, 10);
	char *site = begins(rest, " 0x") ? split_first(rest, " in ") : NULL;
	const bool is_frame = site || begins(rest, " <signal ");

	if (rest == text + 1 || *rest != ' ')
		return false;
	if (reading->in_thread)
		return true;
	reading->in_lines = false;
	reading->frame = find_frame(frames_of(reading->report), index);
	if (!reading->frame && is_frame)
		add_frame(reading, index, rest, site);
	else if (reading->frame && !is_frame)
		return read_line(reading, rest + 1);
	return reading->frame != NULL;
}

/*   0xSTART-0xEND bias 0xBIAS build-id ID PATH */
static bool read_module(struct report_text *reading, char *text)
{
	char *end = split_first(text, "-0x"), *bias, *id, *path;
	json_t *made;

	if (!end || !(bias = split_first(end, " bias 0x")) ||
	    !(id = split_first(bias, " build-id ")) ||
	    !(path = split_first(id, " ")))
		return false;
	made = json_object();
	put_hex(made, "start", strtoull(text, NULL, 16));
	put_hex(made, "end", strtoull(end, NULL, 16));
	put_hex(made, "bias", strtoull(bias, NULL, 16));
	if (strcmp(id, "none") != 0)
		put_text(made, "build_id", id);
	put_text(made, "path", path);
	json_array_append_new(json_object_get(reading->report, "modules"), made);
	return true;
}

/* Whether TEXT begins a part of a report that a signature has no use for. */
static bool is_other_part(const char *text)
{
	static const char *const parts[] = {
		"program: ",   "arguments:", "registers:", "code:",
		"modules:",    "read of ",   "write to ",  "execution of ",
		"access to ",  "not canonical:", "(", "\t",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (begins(text, parts[i]))
			return true;
	return begins(text, "  ");
}

bool report_text_read(struct report_text *reading, char *text, size_t line)
{
	static const char ours[] = "<whocallme>: ";

	if (begins(text, ours) && strstr(text, ": SIG"))
		return read_head(reading, text + strlen(ours), line);
	if (!reading->report)
		return false;
	if (begins(text, "thread ") || begins(text, ours)) {
		reading->in_thread = text[0] == 't';
		return true;
	}
	if (text[0] == '#')
		return read_frame(reading, text);
	if (begins(text, "  0x"))
		return read_module(reading, text + 4);
	if (begins(text, "   ") && reading->frame)
		return read_line(reading, text + 3);
	reading->frame = NULL;
	return is_other_part(text);
}

void report_text_end(struct report_text *reading)
{
	if (reading->report)
		finish(reading);
}
