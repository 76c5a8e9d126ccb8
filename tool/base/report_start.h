/* SPDX-License-Identifier: MIT */
/* report_start.h - knows a report in JSON by how it begins, without reading it as JSON. */
#ifndef WCM_TOOL_REPORT_START_H
#define WCM_TOOL_REPORT_START_H

#include <stdbool.h>
#include <stddef.h>

enum { REPORT_MOST_IN_FRONT = 512 /* bytes that a log puts there */ };

/* Whether a report begins at TEXT, a string: an object whose first member is the version of
 * reports, with or without blanks in between.  Graylog's version is a string. */
bool report_starts(const char *text);

/* Whether one begins in the LENGTH bytes at TEXT, not far from their start. */
bool report_starts_in(const char *text, size_t length);

#endif
