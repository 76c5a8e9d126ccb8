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

#endif
