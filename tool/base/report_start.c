/* SPDX-License-Identifier: MIT */
/* report_start.c - knows a report in JSON by how it begins. */
#include "base/report_start.h"

#include <string.h>

/* The text behind WORD and blanks; NULL: it does not begin so. */
static const char *behind(const char *text, const char *word)
{
	const size_t length = strlen(word);

	if (!text || strncmp(text, word, length) != 0)
		return NULL;
	return text + length + strspn(text + length, " \t");
}

bool report_starts(const char *text)
{
	text = behind(behind(behind(behind(text, "{"), "\"version\""), ":"), "1");
	return text && (*text == ',' || *text == '}');
}

bool report_starts_in(const char *text, size_t length)
{
	char start[REPORT_MOST_IN_FRONT + 64];
	const char *object = start;

	if (length >= sizeof(start))
		length = sizeof(start) - 1;
	memcpy(start, text, length);
	start[length] = '\0';
	while (object < start + length && object < start + REPORT_MOST_IN_FRONT &&
	       (object = memchr(object, '{', (size_t)(start + length - object))))
		if (report_starts(object++))
			return true;
	return false;
}
