/* SPDX-License-Identifier: MIT */
/* report_json.c - lines for a crash report that is a JSON object.
 *
 * The report's strings are escaped as doc/crash-report.schema.json says, and so are
 * ours.  It may be anybody's: each member is looked at for what it is.
 */
#include "reports/report_json.h"

#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "reports/source.h"
#include "utf8.h"

bool report_is(const json_t *object)
{
	return json_integer_value(json_object_get(object, "version")) == 1 &&
	       json_is_string(json_object_get(object, "name")) &&
	       json_is_integer(json_object_get(object, "process")) &&
	       json_is_object(json_object_get(object, "signal")) &&
	       json_is_object(json_object_get(object, "cause"));
}

/* The member NAME of OBJECT, a number as a string. */
static bool get_hex(const json_t *object, const char *name, uint64_t *number)
{
	const char *text = json_string_value(json_object_get(object, name)), *end;

	return text && address_number(text, number, &end) && *end == '\0';
}

json_t *report_name(const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	json_t *string = NULL;

	if (!file)
		return NULL;
	escape_name(file, name, MOST_NAME);
	if (fclose(file) == 0)
		string = json_stringn(text, size);
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
	json_t *string = NULL;

	if (!file)
		return NULL;
	if (length > LONGEST)
		length = LONGEST;
	for (; length > 0; line += count, length -= count) {
		count = utf8_length(line, length);
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

static void set_source(json_t *object, const struct place *place, unsigned around)
{
	const unsigned first = place->line > around ? place->line - around : 1;
	json_t *source = json_array();
	size_t length;

	for (unsigned i = first; i - first <= 2 * around && i <= place->line + around; i++) {
		const char *text = source_line(place->file, i, &length);
		json_t *line = text ? json_object() : NULL;

		if (!line)
			continue;
		set(line, "line", json_integer(i));
		set(line, "text", text_of(text, length));
		json_array_append_new(source, line);
	}
	if (json_array_size(source) > 0)
		set(object, "source", source);
	else
		json_decref(source);
}

static json_t *json_of(const struct resolver *resolver, const struct place *place)
{
	json_t *object = json_object();
	char *memory;

	if (place->function) {
		set(object, "function",
		    report_name(resolver_name(resolver, place->function, &memory)));
		free(memory);
	}
	if (place->file)
		set(object, "file", report_name(place->file));
	if (place->file && place->line > 0)
		set(object, "line", json_integer(place->line));
	if (place->file && place->line > 0 && place->column > 0)
		set(object, "column", json_integer(place->column));
	if (place->inlined)
		set(object, "inlined", json_true());
	if (resolver->around > 0 && place->file && place->line > 0)
		set_source(object, place, resolver->around);
	return object;
}

/* NULL where nothing is known. */
static json_t *lines_of(const struct resolver *resolver)
{
	const struct places *places = &resolver->places;
	json_t *lines;

	if (places->count == 0 ||
	    (places->count == 1 && !places->place->function && !places->place->file))
		return NULL;
	lines = json_array();
	for (size_t i = 0; i < places->count; i++)
		json_array_append_new(lines, json_of(resolver, &places->place[i]));
	return lines;
}

/* What the report says of its modules, by address. */
struct modules {
	struct loaded {
		uint64_t start, end;
		const char *path;     /* escaped */
		const char *build_id; /* or NULL */
	} *loaded;
	size_t count;
};

static int by_start(const void *a, const void *b)
{
	const struct loaded *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

static void read_modules(struct modules *modules, const json_t *report)
{
	const json_t *array = json_object_get(report, "modules"), *module;
	size_t i;

	*modules = (struct modules){
		calloc(json_array_size(array) + 1, sizeof(struct loaded)), 0
	};
	json_array_foreach(array, i, module) {
		struct loaded loaded = {
			.path = json_string_value(json_object_get(module, "path")),
			.build_id = json_string_value(
				json_object_get(module, "build_id")),
		};

		if (modules->loaded && loaded.path &&
		    get_hex(module, "start", &loaded.start) &&
		    get_hex(module, "end", &loaded.end))
			modules->loaded[modules->count++] = loaded;
	}
	if (modules->count > 0)
		qsort(modules->loaded, modules->count, sizeof(struct loaded), by_start);
}

/* The build-id of the module at PATH that has PC. */
static void find_build_id(struct address *address, const struct modules *modules,
			  uint64_t pc, const char *path)
{
	size_t lo = 0, hi = modules->count;
	const struct loaded *found;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (modules->loaded[middle].start <= pc)
			lo = middle + 1;
		else
			hi = middle;
	}
	if (lo == 0)
		return;
	found = &modules->loaded[lo - 1];
	if (found->build_id && pc < found->end && strcmp(found->path, path) == 0)
		address_build_id(address, found->build_id, strlen(found->build_id));
}

/* Where FRAME is; PATH, its memory, is the caller's to free. */
static bool find_address(const json_t *frame, const struct modules *modules,
			 struct address *address, char **path)
{
	const char *escaped = json_string_value(json_object_get(frame, "module"));
	const bool exact = json_object_get(frame, "interrupted") ||
			   json_object_get(frame, "signal");
	uint64_t pc;

	if (!escaped || !get_hex(frame, "pc", &pc) ||
	    !get_hex(frame, "module_offset", &address->address))
		return false;
	if (!exact && pc > 0) {
		address->address--;
		pc--;
	}
	*path = strdup(escaped);
	if (!*path)
		return false;
	unescape(*path);
	address->path = *path;
	find_build_id(address, modules, pc, escaped);
	/* [vdso] and the like have no file. */
	return strchr(*path, '/') || address->build_id_size > 0;
}

static void add_complaint(json_t *report, const struct address *address,
			  const char *complaint)
{
	json_t *complaints = json_object_get(report, "complaints");
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!json_is_array(complaints)) {
		complaints = json_array();
		json_object_set_new(report, "complaints", complaints);
	}
	if (!file)
		return;
	write_complaint(file, address, complaint);
	if (fclose(file) == 0)
		json_array_append_new(complaints, json_stringn(text, size));
	free(text);
}

static void resolve_frame(json_t *report, const struct modules *modules, json_t *frame,
			  struct resolver *resolver)
{
	struct address address = { 0 };
	const char *complaint;
	char *path = NULL;

	if (!json_object_get(frame, "lines") &&
	    find_address(frame, modules, &address, &path)) {
		complaint = resolver_find(resolver, &address);
		if (complaint)
			add_complaint(report, &address, complaint);
		set(frame, "lines", lines_of(resolver));
	}
	free(path);
}

static void resolve_stack(json_t *report, const struct modules *modules,
			  const json_t *stack, struct resolver *resolver)
{
	json_t *frame;
	size_t i;

	json_array_foreach(json_object_get(stack, "frames"), i, frame)
		resolve_frame(report, modules, frame, resolver);
}

void report_resolve_by(json_t *report, struct resolver *resolver)
{
	struct modules modules;
	json_t *thread;
	size_t i;

	resolver->said_count = 0;
	read_modules(&modules, report);
	resolve_stack(report, &modules, json_object_get(report, "stack"), resolver);
	json_array_foreach(json_object_get(report, "threads"), i, thread)
		resolve_stack(report, &modules, json_object_get(thread, "stack"),
			      resolver);
	free(modules.loaded);
}

void report_resolve(json_t *report, struct binaries *binaries, unsigned around)
{
	struct resolver resolver = {
		.binaries = binaries, .demangle = true, .around = around
	};

	report_resolve_by(report, &resolver);
	places_free(&resolver.places);
}
