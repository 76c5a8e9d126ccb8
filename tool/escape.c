/* SPDX-License-Identifier: MIT */
/* escape.c - names of any bytes in a line of text. */
#include "escape.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

/* Whether a terminal obeys the character; those of C1 are two bytes of UTF-8. */
static bool is_control(const unsigned char *s, size_t length)
{
	return length == 1 ? s[0] < 0x20 || s[0] == 0x7f
			   : s[0] == 0xc2 && s[1] < 0xa0;
}

/* Write SIZE bytes; PLAIN stands for itself though it is a control byte, ESCAPED does
 * not though it is none.  '\\0' is neither. */
static void write_escaped(FILE *file, const char *text, size_t size,
			  char plain, char escaped)
{
	size_t length;

	for (; size > 0; text += length, size -= length) {
		length = utf8_length(text, size);
		if (length > 0 && (*text != escaped || !*text) &&
		    ((*text == plain && *text) ||
		     !is_control((const unsigned char *)text, length))) {
			fwrite(text, 1, length, file);
			continue;
		}
		length = 1;
		fprintf(file, "\\x%02x", (unsigned char)*text);
	}
}

void escape_name(FILE *file, const char *name, size_t most)
{
	const size_t length = strnlen(name, most);

	write_escaped(file, name, length, '\0', '\\');
	if (name[length])
		fputs("...", file);
}

void escape_source(FILE *file, const char *text, size_t size)
{
	write_escaped(file, text, size, '\t', '\0');
}

/* The byte that TEXT stands for, 0 where it is no escape. */
static char escaped_byte(const char *text)
{
	char digits[3] = "";

	if (text[0] != '\\' || text[1] != 'x' ||
	    !isxdigit((unsigned char)text[2]) || !isxdigit((unsigned char)text[3]))
		return '\0';
	memcpy(digits, text + 2, 2);
	return (char)strtoul(digits, NULL, 16);
}

void unescape(char *text)
{
	char *to = text, byte;

	for (; *text; text += byte ? 4 : 1) {
		byte = escaped_byte(text);
		*to++ = byte ? byte : *text;
	}
	*to = '\0';
}
