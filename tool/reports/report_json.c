/* SPDX-License-Identifier: MIT */
/* report_json.c - adds source lines to a report in JSON.
 *
 * The report's strings are escaped as doc/crash-report.schema.json says, and so are
 * ours.  It may be anybody's: each member is looked at for what it is.
 */
#include "reports/report_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "format/printable.h"
#include "reports/report_modules.h"
#include "resolve/source.h"

bool report_is(const json_t *object)
{
	return json_integer_value(json_object_get(object, "version")) == 1 &&
	       json_is_string(json_object_get(object, "name")) &&
	       json_is_integer(json_object_get(object, "process")) &&
	       json_is_object(json_object_get(object, "signal")) &&
	       json_is_object(json_object_get(object, "cause"));
}

bool report_write(FILE *file, const json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);

	if (!text)
		return false;
	escape(file, WCM_ESCAPE_JSON_TEXT, text, strlen(text));
	putc('\n', file);
	free(text);
	return true;
}

json_t *report_name(const char *name)
{
	char *text = escaped_name(name, MOST_NAME);
	json_t *string = text ? json_string(text) : NULL;

	free(text);
	return string;
}

/* As it is, but for bytes that are no UTF-8. */
static json_t *text_of(const char *line, size_t length)
{
	enum { LONGEST = 1024 };
	char *text = NULL;
	size_t size, count;
	FILE *file = open_memstream(&text, &size);
	uint32_t character;
	json_t *string = NULL;

	if (!file)
		return NULL;
	if (length > LONGEST)
		length = LONGEST;
	for (; length > 0; line += count, length -= count) {
		count = wcm__utf8_length(line, length, &character);
		fwrite(count > 0 ? line : "\xef\xbf\xbd", 1, count > 0 ? count : 3, file);
		count += count == 0;
	}
	if (fclose(file) == 0)
		string = json_stringn(text, size);
	free(text);
	return string;
}

/* Memory that is out leaves a member out. */
static void set(json_t *object, const char *name, json_t *value)
{
	if (value)
		json_object_set_new(object, name, value);
}

static void set_source(json_t *object, const struct location *location, unsigned around)
{
	const uint64_t at = location->line;
	json_t *source = json_array();
	size_t length;

	for (uint64_t i = at > around ? at - around : 1; i <= at + around; i++) {
		const char *text = source_line(location, i, &length);
		json_t *line = text ? json_object() : NULL;

		if (!line)
			continue;
		set(line, "line", json_integer((json_int_t)i));
		set(line, "text", text_of(text, length));
		json_array_append_new(source, line);
	}
	if (json_array_size(source) > 0)
		set(object, "source", source);
	else
		json_decref(source);
}

static json_t *json_of(const struct resolver *resolver, const struct location *location)
{
	json_t *object = json_object();
	char *memory;

	if (location->function) {
		set(object, "function",
		    report_name(resolver_name(resolver, location->function, &memory)));
		free(memory);
	}
	if (location->file)
		set(object, "file", report_name(location->file));
	if (location->file && location->line > 0)
		set(object, "line", json_integer(location->line));
	if (location->file && location->line > 0 && location->column > 0)
		set(object, "column", json_integer(location->column));
	if (location->inlined)
		set(object, "inlined", json_true());
	if (resolver->around > 0 && location->file && location->line > 0)
		set_source(object, location, resolver->around);
	return object;
}

/* NULL where nothing is known. */
static json_t *lines_of(const struct resolver *resolver)
{
	const struct locations *locations = &resolver->locations;
	json_t *lines;

	if (locations->count == 0 ||
	    (locations->count == 1 && !locations->location->function && !locations->location->file))
		return NULL;
	lines = json_array();
	for (size_t i = 0; i < locations->count; i++)
		json_array_append_new(lines, json_of(resolver, &locations->location[i]));
	return lines;
}

/* Where JSON, a frame, is; PATH, its memory, is the caller's to free. */
static bool find_address(const json_t *json, const struct loaded_modules *modules,
			 struct address *address, char **path)
{
	struct report_frame frame = {
		.exact = json_object_get(json, "interrupted") || json_object_get(json, "resumed") ||
			 json_object_get(json, "signal"),
		.path = json_string_value(json_object_get(json, "module")),
	};

	report_hex(json, "pc", &frame.pc);
	frame.has_module_offset = report_hex(json, "module_offset", &frame.module_offset);
	if (report_hex(json, "offset", &frame.offset))
		frame.name = json_string_value(json_object_get(json, "function"));
	if (!frame_address(&frame, modules, address))
		return false;
	*path = strdup(frame.path);
	if (!*path)
		return false;
	unescape(*path);
	address->path = *path;
	return true;
}

/* A report that is worked on: its modules, and its complaints as members, since one that
 * was read before has its own. */
struct work {
	json_t *report, *said;
	struct loaded_modules modules;
	struct resolver *resolver;
};

static void begin(struct work *work)
{
	const json_t *complaint;
	size_t i;

	work->modules = loaded_read(work->report);
	work->said = json_object();
	json_array_foreach(json_object_get(work->report, "complaints"), i, complaint)
		if (json_is_string(complaint))
			json_object_set_new(work->said, json_string_value(complaint),
					    json_true());
}

static void add_complaint(const struct work *work, const struct address *address,
			  const char *complaint)
{
	json_t *complaints = json_object_get(work->report, "complaints");
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!json_is_array(complaints)) {
		complaints = json_array();
		json_object_set_new(work->report, "complaints", complaints);
	}
	if (!file)
		return;
	write_complaint(file, address, complaint);
	if (fclose(file) == 0 && !json_object_get(work->said, text)) {
		json_object_set_new(work->said, text, json_true());
		json_array_append_new(complaints, json_stringn(text, size));
	}
	free(text);
}

static void resolve_frame(const struct work *work, json_t *frame)
{
	struct address address = { 0 };
	const char *complaint;
	char *path = NULL;

	if (!json_object_get(frame, "lines") &&
	    find_address(frame, &work->modules, &address, &path)) {
		complaint = resolver_find(work->resolver, &address);
		if (complaint)
			add_complaint(work, &address, complaint);
		set(frame, "lines", lines_of(work->resolver));
	}
	free(path);
}

static void resolve_stack(const struct work *work, const json_t *stack)
{
	json_t *frame;
	size_t i;

	json_array_foreach(json_object_get(stack, "frames"), i, frame)
		resolve_frame(work, frame);
}

void report_resolve_by(json_t *report, struct resolver *resolver)
{
	struct work work = { .report = report, .resolver = resolver };
	json_t *thread;
	size_t i;

	resolver->said_count = 0;
	begin(&work);
	resolve_stack(&work, json_object_get(report, "stack"));
	json_array_foreach(json_object_get(report, "threads"), i, thread)
		resolve_stack(&work, json_object_get(thread, "stack"));
	json_decref(work.said);
	loaded_free(&work.modules);
}

void report_resolve(json_t *report, struct binaries *binaries, unsigned around)
{
	struct resolver resolver = {
		.binaries = binaries, .demangle = true, .around = around
	};

	report_resolve_by(report, &resolver);
	locations_free(&resolver.locations);
	free(resolver.doubt);
}
