/* SPDX-License-Identifier: MIT */
/* graph_source.c - finds the source file of a recorded function, for the clusters. */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "modules/build_id.h"
#include "symbols/module_file.h"

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

/* The bytes of TEXT, in hexadecimal. */
static struct build_id parse_build_id(const char *text)
{
	struct build_id id = { .size = 0 };

	for (; id.size < BUILD_ID_MOST && strspn(text, "0123456789abcdef") >= 2;
	     text += 2)
		id.byte[id.size++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
	return id;
}

char *graph_source(struct binaries **binaries, const struct function *function)
{
	const struct module *module = function->module;
	struct locations locations = { 0 };
	struct build_id id;
	struct binary *binary;
	char *file = NULL;

	if (!*binaries)
		*binaries = binaries_new(NULL, 0);
	if (!*binaries || !module || function->stub)
		return NULL;
	id = parse_build_id(module->build_id);
	binary = binaries_open(*binaries, module->path, id.size ? id.byte : NULL,
			       id.size);
	binary_find(binary, module_file_start(module->path) + function->offset, &locations);
	if (locations.count && locations.location[locations.count - 1].file)
		file = strdup(locations.location[locations.count - 1].file);
	locations_free(&locations);
	return file;
}
