/* SPDX-License-Identifier: MIT */
/* event_line.c - reads a line of a file of addresses. */
#include "resolve/event_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

size_t event_line_length(const char *text)
{
	size_t length = strcspn(text, "\r\n");

	while (length > 0 && text[length - 1] == ' ')
		length--;
	return length;
}

/* A module of a program, which a process runs. */
struct module {
	uint64_t program, lo, hi, bias;
	char *name; /* as an address has it: BUILDID:PATH */
};

struct process {
	long id; /* 0: that which the first lines are of */
	uint64_t program;
	bool has_modules;
};

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_address(const void *left, const void *right)
{
	const struct module *a = left, *b = right;
	const int order = compare(a->program, b->program);

	return order ? order : compare(a->lo, b->lo);
}

static int by_id(const void *left, const void *right)
{
	const struct process *a = left, *b = right;

	return compare((uint64_t)a->id, (uint64_t)b->id);
}

static void free_module(void *item)
{
	struct module *module = item;

	free(module->name);
	free(module);
}

/* PROCESS runs from now on a program that nothing is known of. */
static void begin_program(struct event_lines *lines, struct process *process)
{
	process->program = ++lines->programs;
	process->has_modules = false;
}

/* The process ID; NULL when out of memory. */
static struct process *process_of(struct event_lines *lines, long id)
{
	struct process key = { .id = id }, *process;

	lines->processes.compare = by_id;
	lines->modules.compare = by_address;
	process = tree_find(&lines->processes, &key);
	if (process)
		return process;
	process = malloc(sizeof(*process));
	if (!process)
		return NULL;
	*process = key;
	begin_program(lines, process);
	if (tree_add(&lines->processes, process))
		return process;
	free(process);
	return NULL;
}

/* What NEW takes the place of is gone. */
static void make_room(struct event_lines *lines, const struct module *new)
{
	struct module *other = tree_up_to(&lines->modules, new);

	if (other && (other->program != new->program ||
		      (other->lo != new->lo && other->hi <= new->lo)))
		other = NULL;
	if (!other)
		other = tree_behind(&lines->modules, new);
	while (other && other->program == new->program && other->lo < new->hi) {
		tree_remove(&lines->modules, other);
		free_module(other);
		other = tree_behind(&lines->modules, new);
	}
}

const char *event_module(const char *line, uint64_t *lo, uint64_t *hi, uint64_t *bias,
			 char id[EVENT_ID])
{
	int path = 0;

	line = number_read(number_behind(line, "# "), 16, UINT64_MAX, lo);
	line = number_read(number_behind(line, "-"), 16, UINT64_MAX, hi);
	line = number_read(number_behind(line, " bias "), 16, UINT64_MAX, bias);
	line = number_behind(line, " build-id ");
	if (!line || sscanf(line, "%128s %n", id, &path) != 1 || !line[path])
		return NULL;
	if (strcmp(id, "none") == 0)
		id[0] = '\0';
	return line + path;
}

static void keep_module(struct event_lines *lines, const char *line)
{
	struct process *process = process_of(lines, lines->process);
	struct module module = { 0 }, *kept;
	char id[EVENT_ID];
	const char *path = event_module(line, &module.lo, &module.hi, &module.bias, id);

	if (!path || module.lo >= module.hi || !process)
		return;
	module.program = process->program;
	if (asprintf(&module.name, "%s%s%.*s", id, *id ? ":" : "",
		     (int)event_line_length(path), path) < 0)
		return;
	make_room(lines, &module);
	kept = malloc(sizeof(*kept));
	if (kept)
		*kept = module;
	if (kept && tree_add(&lines->modules, kept)) {
		process->has_modules = true;
		return;
	}
	free(module.name);
	free(kept);
}

/* A process that begins has no modules yet; one that goes on, and has none either, is
 * that which the first lines were of. */
static void keep_process(struct event_lines *lines, const char *line)
{
	const long id = event_process(line);
	struct process *process = id ? process_of(lines, id) : NULL;
	struct process *first = process ? process_of(lines, 0) : NULL;

	if (!first)
		return;
	if (event_process_begins(line)) {
		begin_program(lines, process);
	} else if (!process->has_modules && first->has_modules) {
		process->program = first->program;
		process->has_modules = true;
		begin_program(lines, first);
	}
	lines->process = id;
}

long event_process(const char *line)
{
	uint64_t id;

	number_read(number_behind(line, "# process "), 10, INT32_MAX, &id);
	return (long)id;
}

bool event_process_begins(const char *line)
{
	return strstr(line, " begins");
}

bool event_is_address(const char *line)
{
	return (*line == 'E' || *line == 'X') && strncmp(line + 1, "0x", 2) == 0;
}

bool event_is_module(const char *line)
{
	return strncmp(line, "# 0x", 4) == 0;
}

static const struct module *find(struct event_lines *lines, uint64_t address)
{
	const struct process *process = process_of(lines, lines->process);
	const struct module key = { .program = process ? process->program : 0,
				    .lo = address };
	const struct module *found = process ? tree_up_to(&lines->modules, &key) : NULL;

	return found && found->program == key.program && address < found->hi ? found
									     : NULL;
}

char *event_line(struct event_lines *lines, const char *line)
{
	const struct module *module;
	const char *end;
	char *text = NULL;
	uint64_t address;

	if (event_is_module(line))
		keep_module(lines, line);
	keep_process(lines, line);
	if (!event_is_address(line))
		return NULL;
	end = number_read(line + 1, 16, UINT64_MAX, &address);
	module = find(lines, address);
	if (!end || event_line_length(end) > 0 || (!module && !lines->program) ||
	    asprintf(&text, "%s+0x%" PRIx64, module ? module->name : lines->program,
		     module ? address - module->bias : address) < 0)
		return NULL;
	return text;
}

void event_lines_free(struct event_lines *lines)
{
	tree_free_each(&lines->modules, free_module);
	tree_free_each(&lines->processes, free);
}
