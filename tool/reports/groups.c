/* SPDX-License-Identifier: MIT */
/* groups.c - counts equal crashes and lists them.
 *
 * Of a group there is kept what is printed of it, that of its first report; so the
 * memory depends on the number of groups alone.
 */
#include "reports/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/terminal.h"
#include "reports/report_json.h"

struct group {
	uint64_t hash;
	size_t count;
	json_t *frames, *name, *signal, *cause;
	bool other_name, other_cause; /* of reports that came later */
	struct report_origin first, last;
};

struct groups {
	struct group *group;
	size_t count, room;
	struct numbers numbers; /* of groups, from 1, by their hash */
};

struct groups *groups_new(void)
{
	return calloc(1, sizeof(struct groups));
}

void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		json_decref(groups->group[i].frames);
		json_decref(groups->group[i].name);
		json_decref(groups->group[i].signal);
		json_decref(groups->group[i].cause);
	}
	free(groups->group);
	numbers_free(&groups->numbers);
	free(groups);
}

/* A member's copy: the report that it is in need not be kept for it. */
static json_t *member(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return json_string(text ? text : "?");
}

/* Count REPORT in a GROUP that has had others. */
static void compare(struct group *group, const json_t *report)
{
	json_t *name = member(report, "name");
	json_t *signal = member(json_object_get(report, "signal"), "name");
	json_t *cause = member(json_object_get(report, "cause"), "text");

	if (!json_equal(name, group->name))
		group->other_name = true;
	if (!json_equal(signal, group->signal) ||
	    !json_equal(cause, group->cause))
		group->other_cause = true;
	json_decref(name);
	json_decref(signal);
	json_decref(cause);
}

/* The number of a new group for REPORT, or 0. */
static size_t add(struct groups *groups, const json_t *report, json_t *frames, uint64_t hash,
		  const struct report_origin *origin)
{
	struct group *group = grow(groups->group, groups->count, &groups->room, sizeof(*group));

	if (!group)
		return 0;
	groups->group = group;
	group[groups->count++] = (struct group){
		.hash = hash,
		.frames = json_incref(frames),
		.name = member(report, "name"),
		.signal = member(json_object_get(report, "signal"), "name"),
		.cause = member(json_object_get(report, "cause"), "text"),
		.first = *origin,
	};
	return groups->count;
}

bool groups_add(struct groups *groups, const json_t *report, json_t *frames,
		uint64_t hash, const struct report_origin *origin)
{
	size_t *number = numbers_at(&groups->numbers, hash, NULL, NULL, NULL);
	struct group *group;

	if (number && *number == 0)
		*number = add(groups, report, frames, hash, origin);
	json_decref(frames);
	if (!number || *number == 0)
		return false;
	group = &groups->group[*number - 1];
	if (group->count++ > 0)
		compare(group, report);
	group->last = *origin;
	return true;
}

static int by_count(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* A sorted copy, the caller's to free; *COUNT is how many to print. */
static struct group *sorted(const struct groups *groups, size_t top, size_t *count)
{
	struct group *copy = calloc(groups->count + 1, sizeof(*copy));

	*count = 0;
	if (!copy) {
		complain_of_memory();
		return NULL;
	}
	if (groups->count > 0)
		memcpy(copy, groups->group, groups->count * sizeof(*copy));
	qsort(copy, groups->count, sizeof(*copy), by_count);
	*count = groups->count < top ? groups->count : top;
	return copy;
}

/* Print TEXT of a report, in which names are escaped already, as a terminal may have
 * it; returns how many bytes it has. */
static size_t print_text(const json_t *text)
{
	enum { MOST_BYTES = 8192 };
	char *name = strdup(json_string_value(text) ? json_string_value(text) : "?");
	size_t length = 0;

	if (name) {
		unescape(name);
		length = strlen(name);
		escape_name(stdout, name, MOST_BYTES);
	}
	free(name);
	return length;
}

/* "FUNCTION at FILE:LINE (inlined)", or "FUNCTION (MODULE)" */
static void print_frame(const json_t *frame)
{
	const json_t *function = json_object_get(frame, "function");
	const json_t *module = json_object_get(frame, "module");
	const json_t *offset = json_object_get(frame, "module_offset");
	const json_t *file = json_object_get(frame, "file");
	const json_t *line = json_object_get(frame, "line");

	printf("       ");
	if (function)
		print_text(function);
	else
		printf("??");
	if (file) {
		printf(" at ");
		print_text(file);
		if (line)
			printf(":%" JSON_INTEGER_FORMAT, json_integer_value(line));
	} else if (module) {
		printf(" (");
		print_text(module);
		if (offset)
			putchar('+'), print_text(offset);
		putchar(')');
	}
	puts(json_object_get(frame, "inlined") ? " (inlined)" : "");
}

static size_t widest_name(const struct group *group, size_t count)
{
	size_t widest = strlen("PROGRAM");

	for (size_t i = 0; i < count; i++) {
		size_t length = json_string_length(group[i].name) +
				(group[i].other_name ? strlen(" ...") : 0);

		if (length > widest)
			widest = length;
	}
	return widest;
}

static void print_group(const struct group *group, size_t width)
{
	const json_t *frame;
	size_t i, used;

	printf("%5zu  %016" PRIx64 "  ", group->count, group->hash);
	used = print_text(group->name);
	if (group->other_name)
		used += (size_t)printf(" ...");
	printf("%*s", (int)(width > used ? width - used : 0) + 2, "");
	terminal_colour(COLOUR_RED);
	print_text(group->signal);
	printf(": ");
	print_text(group->cause);
	terminal_colour(COLOUR_NONE);
	puts(group->other_cause ? " ..." : "");
	json_array_foreach(group->frames, i, frame)
		print_frame(frame);
}

void groups_print(const struct groups *groups, size_t top)
{
	size_t count;
	struct group *group = sorted(groups, top, &count);
	size_t width = count > 0 ? widest_name(group, count) : 0;

	terminal_colour(COLOUR_BOLD);
	if (count > 0)
		printf("%5s  %-16s  %-*s  %s\n", "COUNT", "HASH", (int)width,
		       "PROGRAM", "CAUSE");
	terminal_colour(COLOUR_NONE);
	for (size_t i = 0; i < count; i++)
		print_group(&group[i], width);
	free(group);
}

static json_t *origin_json(const struct report_origin *origin)
{
	return json_pack("{s:s%,s:I}", "file", origin->file, strlen(origin->file),
			 "line", (json_int_t)origin->line);
}

void groups_print_json(const struct groups *groups, size_t top)
{
	enum { FORMAT = 1 };
	size_t count;
	struct group *group = sorted(groups, top, &count);

	for (size_t i = 0; i < count; i++) {
		char hash[17];
		json_t *line;

		snprintf(hash, sizeof(hash), "%016" PRIx64, group[i].hash);
		line = json_pack("{s:i,s:s,s:I,s:O,s:O,s:O,s:O,s:o*,s:o*}",
				 "version", FORMAT, "hash", hash, "count",
				 (json_int_t)group[i].count, "program",
				 group[i].name, "signal", group[i].signal, "cause",
				 group[i].cause, "frames", group[i].frames,
				 "first", origin_json(&group[i].first), "last",
				 origin_json(&group[i].last));
		report_write(stdout, line);
		json_decref(line);
	}
	free(group);
}
