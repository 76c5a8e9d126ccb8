/* SPDX-License-Identifier: MIT */
/* inject_names.h - the functions of a log of the plugin's runtime, as those of a module.
 *
 * The log has their names; a recording has addresses, and a table of names.
 */
#ifndef WCM_TOOL_INJECT_NAMES_H
#define WCM_TOOL_INJECT_NAMES_H

#include <stdio.h>

#include "base/tree.h"
#include "resolve/inject_line.h"

struct inject_names {
	struct tree by_name;
	uint64_t count;
};

/* The name of the table's file in a recording. */
extern const char inject_names_file[];

/* The address that stands for LINE's function, 0 where memory is out. */
uint64_t inject_names_address(struct inject_names *names, const struct inject_line *line);

/* Write what a session says of its memory, and the table. */
void inject_names_write_map(FILE *map);
void inject_names_write(const struct inject_names *names, FILE *table);

void inject_names_free(struct inject_names *names);

#endif
