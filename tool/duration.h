/* SPDX-License-Identifier: MIT */
/* duration.h - nanoseconds, as people read them. */
#ifndef WCM_TOOL_DURATION_H
#define WCM_TOOL_DURATION_H

#include <stdbool.h>
#include <stdint.h>

enum { DURATION_SIZE = 16 };

/* "  1.234 us", ten columns wide, or ms, s, m, h; spaces for 0.  Returns TEXT. */
const char *duration_text(uint64_t nanoseconds, char text[DURATION_SIZE]);

/* What TEXT, a number and perhaps ns, us, ms or s, is in nanoseconds.  False where it
 * is none of that. */
bool duration_parse(const char *text, uint64_t *nanoseconds);

#endif
