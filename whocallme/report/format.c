/* SPDX-License-Identifier: MIT */
/* format.c - numbers and names as bytes in a buffer. */
#include "report/format.h"

#include <stdbool.h>

unsigned wcm__format_hex_digits(uint64_t value)
{
	unsigned digits = 1;

	while (value >>= 4)
		digits++;
	return digits;
}

void wcm__format_hex(char *buf, uint64_t value, unsigned width)
{
	for (; width > 0; value >>= 4)
		buf[--width] = "0123456789abcdef"[value & 15];
}

size_t wcm__format_decimal(char *buf, int64_t value)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char reversed[20];
	size_t length = 0, count = 0;

	do
		reversed[count++] = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		buf[length++] = '-';
	while (count > 0)
		buf[length++] = reversed[--count];
	return length;
}

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* The length of the character at S, or 0 where it is none that may be shown:
 * ASCII and C1 controls, overlong forms, surrogates, beyond U+10FFFF - and the
 * backslash, so that no name looks like the escapes of another. */
static unsigned character_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f && s[0] != '\\';
	if (s[0] < 0xc2 || s[0] > 0xf4 || !is_continuation(s[1]))
		return 0;
	if (s[0] < 0xe0)
		return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : 2;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90) ||
	    !is_continuation(s[2]))
		return 0;
	if (s[0] < 0xf0)
		return 3;
	return is_continuation(s[3]) ? 4 : 0;
}

size_t wcm__format_printable(const char *name)
{
	const unsigned char *start = (const unsigned char *)name, *s = start;
	unsigned length;

	while (*s && (length = character_length(s)) > 0)
		s += length;
	return (size_t)(s - start);
}
