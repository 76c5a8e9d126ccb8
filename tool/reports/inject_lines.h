/* SPDX-License-Identifier: MIT */
/* inject_lines.h - where the addresses are in a program that a log of the plugin's runtime has. */
#ifndef WCM_TOOL_INJECT_LINES_H
#define WCM_TOOL_INJECT_LINES_H

#include <whocallme.h>

#include "resolve/inject_line.h"

struct inject_lines {
	const char *program; /* NULL: not known */
	struct wcm_functions *functions; /* NULL: there are none */
	uint64_t bias;       /* how far it was from where it wants to be */
	bool is_loaded, has_bias;
};

/* The address of LINE's event in the program's own numbering; false where it is in another
 * module, or cannot be told. */
bool inject_lines_address(struct inject_lines *lines, const struct inject_line *line,
			  uint64_t *address);

void inject_lines_free(struct inject_lines *lines);

#endif
