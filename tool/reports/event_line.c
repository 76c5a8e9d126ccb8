/* SPDX-License-Identifier: MIT */
/* event_line.c - which address does a line of a file of addresses stand for? */
#include "reports/event_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "# 0xLO-0xHI bias 0xBIAS build-id ID PATH" */
static void keep_module(struct event_lines *lines, const char *line)
{
	struct event_module module, *more;
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
		     (int)strcspn(line + path, "\r\n"), line + path) >= 0)
		more[lines->count++] = module;
}

static const struct event_module *find(const struct event_lines *lines, uint64_t address)
{
	for (size_t i = lines->count; i-- > 0;)
		if (address >= lines->modules[i].lo && address < lines->modules[i].hi)
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
	if ((*line != 'E' && *line != 'X') || strncmp(line + 1, "0x", 2) != 0)
		return NULL;
	address = strtoull(line + 1, &end, 16);
	module = find(lines, address);
	if (end[strspn(end, "\r\n")] || (!module && !lines->program) ||
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
