/* SPDX-License-Identifier: MIT */
/* filter_json.h - a line of JSON. */
#ifndef WCM_TOOL_FILTER_JSON_H
#define WCM_TOOL_FILTER_JSON_H

#include "resolve/frame_lines.h"

enum { FILTER_JSON_WHY = 256 };

/* Write the line TEXT of LENGTH bytes to stdout: where it is a report, with lines,
 * AS_TEXT or as JSON; else as it is.  False where that is to be complained about, WHY being
 * why. */
bool filter_json(struct resolver *resolver, bool as_text, const char *text,
		 size_t length, char why[FILTER_JSON_WHY]);

/* Whether TEXT, LENGTH bytes, is a report. */
bool filter_json_is_report(const char *text, size_t length);

/* The report TEXT with lines, the caller's to free; NULL where it is none. */
char *filter_json_in_log(struct resolver *resolver, const char *text, size_t length);

#endif
