/* SPDX-License-Identifier: MIT */
/* inject_line.c - reads a line of the log that the plugin's runtime writes.
 *
 * The kernel may cut the last one of a process that is killed, and what another writes stands
 * behind it then: a line is taken as a whole or not at all.
 */
#include "resolve/inject_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What begins like WORD is followed by; NULL: it does not. */
static const char *behind(const char *text, const char *word)
{
	const size_t length = strlen(word);

	return text && strncmp(text, word, length) == 0 ? text + length : NULL;
}

/* The number at TEXT, of 1 to 16 digits, and what follows; NULL where there is none. */
static const char *number(const char *text, uint64_t *value)
{
	const size_t digits = text ? strspn(text, "0123456789abcdef") : 0;

	if (digits == 0 || digits > 16)
		return NULL;
	*value = strtoull(text, NULL, 16);
	return text + digits;
}

bool inject_line(const char *text, struct inject_line *line)
{
	static const char *const begin[] = { "ev=entry fn=", "ev=exit fn=", "ev=unwind fn=" };
	const char *rest = NULL;
	uint64_t tid;
	int kind = -1;

	while (!rest && ++kind <= INJECT_UNWIND)
		rest = behind(text, begin[kind]);
	if (!rest)
		return false;
	*line = (struct inject_line){ .kind = (enum inject_kind)kind, .name = rest };
	line->length = strcspn(rest, " \t\r\n");
	/* The article's columns are aligned. */
	rest += line->length;
	rest = number(behind(rest + strspn(rest, " "), "ip=0x"), &line->ip);
	rest = number(behind(rest, " tid=0x"), &tid);
	if (!rest || line->length == 0 || rest[strspn(rest, " \r\n")] || tid == 0 ||
	    tid > INT32_MAX)
		return false;
	line->tid = (long)tid;
	return true;
}

bool inject_line_begins(const char *text)
{
	return behind(text, "ev=entry fn=") || behind(text, "ev=exit fn=") ||
	       behind(text, "ev=unwind fn=");
}
