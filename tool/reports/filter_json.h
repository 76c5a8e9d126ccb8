/* SPDX-License-Identifier: MIT */
/* filter_json.h - a line of JSON. */
#ifndef WCM_TOOL_FILTER_JSON_H
#define WCM_TOOL_FILTER_JSON_H

#include "reports/resolver.h"

enum { FILTER_JSON_WHY = 256 };

/* Write the line TEXT of LENGTH bytes to stdout: where it is a report, with lines,
 * AS_TEXT or as JSON; else as it is.  False where it is no JSON, WHY being why. */
bool filter_json(struct resolver *resolver, bool as_text, const char *text,
		 size_t length, char why[FILTER_JSON_WHY]);

#endif
