/* SPDX-License-Identifier: MIT */
/* inject_line.h - reads a line of the log that the plugin's runtime writes.
 *
 *	ev=entry fn=NAME ip=0xADDRESS tid=0xTHREAD
 */
#ifndef WCM_TOOL_INJECT_LINE_H
#define WCM_TOOL_INJECT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inject_kind { INJECT_ENTRY, INJECT_EXIT, INJECT_UNWIND };

struct inject_line {
	enum inject_kind kind;
	const char *name; /* in the line, as the linker has it */
	size_t length;
	uint64_t ip;
	long tid;
};

/* Whether TEXT is a whole line of such a log; what it says. */
bool inject_line(const char *text, struct inject_line *line);

/* Whether it may be one, by its first 15 bytes. */
bool inject_line_begins(const char *text);

#endif
