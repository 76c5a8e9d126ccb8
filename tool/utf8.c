/* SPDX-License-Identifier: MIT */
/* utf8.c - which bytes are a character? */
#include "utf8.h"

/* How many bytes follow LEAD in its character, and the range of the first of
 * them; -1 where LEAD starts none. */
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

size_t utf8_length(const char *text, size_t size)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char lo, hi;
	int count = followers(s[0], &lo, &hi);

	if (count < 0 || (size_t)count >= size)
		return 0;
	for (int i = 1; i <= count; i++, lo = 0x80, hi = 0xbf)
		if (s[i] < lo || s[i] > hi)
			return 0;
	return (size_t)count + 1;
}
