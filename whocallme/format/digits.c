/* SPDX-License-Identifier: MIT */
/* digits.c (SAFE) - writes numbers and names as bytes in a buffer. */
#include "format/digits.h"

#include "format/printable.h"

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

size_t wcm__format_printable(const char *name)
{
	enum { LONGEST_CHARACTER = 4 };
	const char *at = name;
	size_t length;

	/* Not the backslash, so that no name looks like the escapes of another. */
	while (*at && *at != '\\' &&
	       (length = wcm__printable_length(at, LONGEST_CHARACTER)) > 0)
		at += length;
	return (size_t)(at - name);
}
