/* SPDX-License-Identifier: MIT */
/* duration.h - nanoseconds and other numbers, as people read them. */
#ifndef WCM_TOOL_DURATION_H
#define WCM_TOOL_DURATION_H

#include <stdbool.h>
#include <stdint.h>

enum { DURATION_SIZE = 16, NUMBER_SIZE = 40 };

/* "  1.234 us", ten columns wide, or ms, s, m, h; spaces for 0.  Returns TEXT. */
const char *duration_text(uint64_t nanoseconds, char text[DURATION_SIZE]);

/* "1.234 us", or ms or s, the digits before the point in groups of three.  Returns
 * TEXT. */
const char *duration_brief(uint64_t nanoseconds, char text[static NUMBER_SIZE]);

/* NUMBER in groups of three digits, as in "1'234'567".  Returns TEXT. */
const char *number_grouped(uint64_t number, char text[static NUMBER_SIZE]);

/* What TEXT, a number and perhaps ns, us, ms or s, is in nanoseconds.  False where it
 * is none of that. */
bool duration_parse(const char *text, uint64_t *nanoseconds);

#endif
