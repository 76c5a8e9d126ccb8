/* SPDX-License-Identifier: MIT */
/* event_line.c - which address does a line of a file of addresses stand for? */
#include "reports/event_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t event_line_length(const char *text)
{
	size_t length = strcspn(text, "\r\n");

	while (length > 0 && text[length - 1] == ' ')
		length--;
	return length;
}

/* "# 0xLO-0xHI bias 0xBIAS build-id ID PATH" */
static void keep_module(struct event_lines *lines, const char *line)
{
	struct event_module module = { .process = lines->process }, *more;
	char id[129];
	int path = 0;

	if (sscanf(line, "# %" SCNx64 "-%" SCNx64 " bias %" SCNx64 " build-id %128s %n",
		   &module.lo, &module.hi, &module.bias, id, &path) != 4 || !line[path])
		return;
	if (strcmp(id, "none") == 0)
		id[0] = '\0';
	more = realloc(lines->modules, (lines->count + 1) * sizeof(*more));
	if (!more)
		return;
	lines->modules = more;
	if (asprintf(&module.name, "%s%s%.*s", id, *id ? ":" : "",
		     (int)event_line_length(line + path), line + path) >= 0)
		more[lines->count++] = module;
}

static bool has_modules(const struct event_lines *lines, long process)
{
	for (size_t i = 0; i < lines->count; i++)
		if (lines->modules[i].process == process)
			return true;
	return false;
}

/* Those of process FROM are TO's; TO 0: of a program that has ended. */
static void rename_modules(struct event_lines *lines, long from, long to)
{
	size_t kept = 0;

	for (size_t i = 0; i < lines->count; i++) {
		struct event_module module = lines->modules[i];

		if (module.process == from && to == 0) {
			free(module.name);
			continue;
		}
		if (module.process == from)
			module.process = to;
		lines->modules[kept++] = module;
	}
	lines->count = kept;
}

static void keep_process(struct event_lines *lines, const char *line)
{
	const long process = event_process(line);

	if (process == 0)
		return;
	if (event_process_begins(line))
		rename_modules(lines, process, 0);
	else if (!has_modules(lines, process))
		rename_modules(lines, 0, process);
	lines->process = process;
}

long event_process(const char *line)
{
	static const char begin[] = "# process ";
	long id = 0;

	if (strncmp(line, begin, sizeof(begin) - 1) == 0)
		id = strtol(line + sizeof(begin) - 1, NULL, 10);
	return id > 0 && id <= INT32_MAX ? id : 0;
}

bool event_process_begins(const char *line)
{
	return strstr(line, " begins");
}

static const struct event_module *find(const struct event_lines *lines, uint64_t address)
{
	for (size_t i = lines->count; i-- > 0;)
		if (lines->modules[i].process == lines->process &&
		    address >= lines->modules[i].lo && address < lines->modules[i].hi)
			return &lines->modules[i];
	return NULL;
}

char *event_line(struct event_lines *lines, const char *line)
{
	const struct event_module *module;
	char *text = NULL, *end;
	uint64_t address;

	if (strncmp(line, "# 0x", 4) == 0)
		keep_module(lines, line);
	keep_process(lines, line);
	if ((*line != 'E' && *line != 'X') || strncmp(line + 1, "0x", 2) != 0)
		return NULL;
	address = strtoull(line + 1, &end, 16);
	module = find(lines, address);
	if (event_line_length(end) > 0 || (!module && !lines->program) ||
	    asprintf(&text, "%s+0x%" PRIx64, module ? module->name : lines->program,
		     module ? address - module->bias : address) < 0)
		return NULL;
	return text;
}

void event_lines_free(struct event_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->modules[i].name);
	free(lines->modules);
}
