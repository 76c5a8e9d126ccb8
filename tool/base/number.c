/* SPDX-License-Identifier: MIT */
/* number.c - reads numbers without a sign or blanks. */
#include "base/number.h"

#include <stddef.h>
#include <string.h>

/* The value of a digit, or 16. */
static unsigned digit(char c)
{
	return c >= '0' && c <= '9' ? (unsigned)(c - '0') :
	       c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 :
	       c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

const char *number_read(const char *text, int base, uint64_t most, uint64_t *value)
{
	const unsigned radix = (unsigned)base;
	uint64_t number = 0;
	const char *start;

	*value = 0;
	if (!text)
		return NULL;
	if (base == 16 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
	    digit(text[2]) < radix)
		text += 2;
	for (start = text; digit(*text) < radix; text++) {
		const unsigned next = digit(*text);

		if (next > most || number > (most - next) / radix)
			return NULL;
		number = number * radix + next;
	}
	if (text == start)
		return NULL;
	*value = number;
	return text;
}

const char *number_behind(const char *text, const char *word)
{
	const size_t length = strlen(word);

	return text && strncmp(text, word, length) == 0 ? text + length : NULL;
}

bool number_is(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	const char *end = number_read(text, 10, most, value);

	return end && *end == '\0' && *value >= least;
}
