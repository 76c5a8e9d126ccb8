/* SPDX-License-Identifier: MIT */
/* inject_line.c - reads a line of the log that the plugin's runtime writes.
 *
 * When a process is killed, the kernel may cut its last line short, and the next line of another
 * process follows in the same line.  Such a line is refused.
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

/* What follows the kind at TEXT, which becomes *KIND; NULL: this is no line.  The article's columns
 * are aligned. */
static const char *name_of(const char *text, enum inject_kind *kind)
{
	static const char *const kinds[] = { "ev=entry", "ev=exit", "ev=unwind" };
	const char *rest;

	for (int i = INJECT_ENTRY; i <= INJECT_UNWIND; i++) {
		rest = behind(text, kinds[i]);
		*kind = (enum inject_kind)i;
		if (rest && *rest == ' ')
			return behind(rest + strspn(rest, " "), "fn=");
	}
	return NULL;
}

bool inject_line(const char *text, struct inject_line *line)
{
	enum inject_kind kind;
	const char *rest = name_of(text, &kind);
	uint64_t tid;

	if (!rest)
		return false;
	*line = (struct inject_line){ .kind = kind, .name = rest };
	line->length = strcspn(rest, " \t\r\n");
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
	enum inject_kind kind;

	return name_of(text, &kind) != NULL;
}
