/* SPDX-License-Identifier: MIT */
/* printable.c (SAFE) - tells which characters may be shown on a terminal.
 *
 * It decides for the library and the command alike.  A name may hold anything: what
 * moves the cursor, what shows the text before it as behind it, and what makes two
 * names look the same.
 */
#include "format/printable.h"

#include <stdbool.h>

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

size_t wcm__utf8_length(const char *text, size_t size, uint32_t *character)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char lo, hi;
	const int count = followers(s[0], &lo, &hi);

	if (count < 0 || (size_t)count >= size)
		return 0;
	*character = count == 0 ? s[0] : s[0] & (0x3fu >> count);
	for (int i = 1; i <= count; i++, lo = 0x80, hi = 0xbf) {
		if (s[i] < lo || s[i] > hi)
			return 0;
		*character = *character << 6 | (s[i] & 0x3fu);
	}
	return (size_t)count + 1;
}

static bool is_shown(uint32_t character)
{
	/* Of Unicode's categories Cc, Cf, Zl and Zp those that are not seen, and what is
	 * no character. */
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0xad, 0xad },
		{ 0x061c, 0x061c }, { 0x180e, 0x180e }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfdd0, 0xfdef },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};

	if ((character & 0xfffe) == 0xfffe)
		return false;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		if (character >= hidden[i].first && character <= hidden[i].last)
			return false;
	return true;
}

size_t wcm__printable_length(const char *text, size_t size)
{
	uint32_t character;
	size_t length;

	if (*text >= ' ' && *text <= '~')
		return 1; /* nearly all */
	length = wcm__utf8_length(text, size, &character);
	return length > 0 && is_shown(character) ? length : 0;
}
