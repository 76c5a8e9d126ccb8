/* SPDX-License-Identifier: MIT */
/* report_show.h - a crash report in JSON as people read it. */
#ifndef WCM_TOOL_REPORT_SHOW_H
#define WCM_TOOL_REPORT_SHOW_H

#include <jansson.h>

#include "resolve/frame_lines.h"

/* Write REPORT to stdout: what happened, the stacks with their lines.  Its strings are changed. */
void report_show(json_t *report, const struct resolver *resolver);

#endif
