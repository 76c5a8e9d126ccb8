/* SPDX-License-Identifier: MIT */
/* json.c - strings as JSON has them. */
#include "json.h"

#include <stdio.h>

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

static void put_ascii(unsigned char c)
{
	if (c == '"' || c == '\\')
		printf("\\%c", c);
	else if (c < 0x20 || c == 0x7f)
		printf("\\u%04x", c);
	else
		putchar(c);
}

void json_string(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putchar('"');
	while (*s) {
		int length = character_length(s);

		if (length == 1)
			put_ascii(*s);
		else if (length == 0)
			fputs("\\ufffd", stdout);
		else
			fwrite(s, 1, (size_t)length, stdout);
		s += length ? length : 1;
	}
	putchar('"');
}
