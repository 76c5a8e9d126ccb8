/* SPDX-License-Identifier: MIT */
/* json_numbers.h - numbers of any size and precision, kept as they are written.
 *
 * A reader that makes a double or 64 bits of each would lose digits of a member that
 * is none of ours.  Such numbers are hidden from it in strings, MARK in front. */
#ifndef WCM_TOOL_JSON_NUMBERS_H
#define WCM_TOOL_JSON_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

struct json_numbers {
	const char *text; /* with all such numbers hidden */
	size_t length;
	char *memory; /* of it, or NULL where there are none */
	char mark[32];
};

/* False when out of memory.  TEXT must live as long as NUMBERS. */
bool json_numbers_hide(struct json_numbers *numbers, const char *text, size_t length);

/* Undo it in the JSON of TEXT, in its place. */
void json_numbers_show(const struct json_numbers *numbers, char *text);

void json_numbers_free(struct json_numbers *numbers);

#endif
