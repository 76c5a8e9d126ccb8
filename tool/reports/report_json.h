/* SPDX-License-Identifier: MIT */
/* report_json.h - lines for a crash report that is a JSON object. */
#ifndef WCM_TOOL_REPORT_JSON_H
#define WCM_TOOL_REPORT_JSON_H

#include <jansson.h>

#include "debug/binary.h"
#include "resolve/frame_lines.h"

/* Of a line that may be a report: what is read takes many times its memory, and the
 * stacks of a hundred threads are not half of it. */
enum { REPORT_MOST_BYTES = 8 << 20 };

/* Whether OBJECT is a crash report after doc/crash-report.schema.json. */
bool report_is(const json_t *object);

/* Write OBJECT as a line to FILE, without what a terminal may not be shown.  False: out of
 * memory. */
bool report_write(FILE *file, const json_t *object);

/* NAME as the strings of a report are escaped; NULL when out of memory. */
json_t *report_name(const char *name);

/* Add "lines" to each frame of each stack of REPORT that has none: an array of
 * objects, innermost first, with "function" (demangled), "file", "line", "column",
 * "inlined": true, as far as each is known, and, where AROUND is above 0, "source": an array of
 * the text of that many lines around, of objects with "line" and "text".  Complaints
 * about modules become the report's "complaints", an array of strings. */
void report_resolve(json_t *report, struct binaries *binaries, unsigned around);

/* The same with RESOLVER's options. */
void report_resolve_by(json_t *report, struct resolver *resolver);

/* report_show.c: write REPORT to stdout as people read it: what happened, the stacks with their
 * lines.  Its strings are changed. */
void report_show(json_t *report, const struct resolver *resolver);

#endif
