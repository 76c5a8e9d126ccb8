/* SPDX-License-Identifier: MIT */
/* json.c - strings as JSON has them. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>

/* How many bytes follow LEAD in its character, and the range of the first of
 * them (Unicode, table 3-7); -1 where LEAD starts none. */
static int followers(unsigned char lead, unsigned char *lo, unsigned char *hi)
{
	*lo = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	*hi = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
	if (lead < 0x80)
		return 0;
	if (lead < 0xc2 || lead > 0xf4)
		return -1;
	return lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
}

/* The length of the character at S, 0 where it is no UTF-8. */
static int character_length(const unsigned char *s)
{
	unsigned char lo, hi;
	int count = followers(s[0], &lo, &hi);

	for (int i = 1; i <= count; i++, lo = 0x80, hi = 0xbf)
		if (s[i] < lo || s[i] > hi)
			return 0;
	return count + 1;
}

static void put_ascii(FILE *file, unsigned char c)
{
	if (c == '"' || c == '\\')
		fprintf(file, "\\%c", c);
	else if (c < 0x20 || c == 0x7f)
		fprintf(file, "\\u%04x", c);
	else
		putc(c, file);
}

static void put_string(FILE *file, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', file);
	while (*s) {
		int length = character_length(s);

		if (length == 1)
			put_ascii(file, *s);
		else if (length == 0)
			fputs("\\ufffd", file);
		else
			fwrite(s, 1, (size_t)length, file);
		s += length ? length : 1;
	}
	putc('"', file);
}

void json_string(const char *text)
{
	put_string(stdout, text);
}

char *json_quoted(const char *text)
{
	char *quoted = NULL;
	size_t size;
	FILE *file = open_memstream(&quoted, &size);

	if (!file)
		return NULL;
	put_string(file, text);
	if (fclose(file) == 0)
		return quoted;
	free(quoted);
	return NULL;
}
