/* SPDX-License-Identifier: MIT */
/* escape.c - escapes names of any bytes for a line of text, and undoes it. */
#include "base/escape.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/printable.h"

/* How many of the SIZE bytes at TEXT stand for themselves. */
static size_t plain_length(const char *text, size_t size, char plain, char escaped)
{
	size_t length, at = 0;

	for (; at < size; at += length) {
		const char c = text[at];

		length = c == plain && c ? 1 : wcm__printable_length(text + at, size - at);
		if (length == 0 || (c == escaped && c))
			break;
	}
	return at;
}

/* Write SIZE bytes; PLAIN stands for itself though it is a control byte, ESCAPED does
 * not though it is none.  '\\0' is neither. */
static void write_escaped(FILE *file, const char *text, size_t size,
			  char plain, char escaped)
{
	while (size > 0) {
		const size_t length = plain_length(text, size, plain, escaped);

		fwrite(text, 1, length, file);
		text += length;
		size -= length;
		if (size == 0)
			break;
		fprintf(file, "\\x%02x", (unsigned char)*text);
		text++;
		size--;
	}
}

void escape_name(FILE *file, const char *name, size_t most)
{
	const size_t length = strnlen(name, most);

	write_escaped(file, name, length, '\0', '\\');
	if (name[length])
		fputs("...", file);
}

char *escaped_name(const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	escape_name(file, name, SIZE_MAX);
	if (fclose(file) == 0)
		return text;
	free(text);
	return NULL;
}

void escape_text(FILE *file, const char *text)
{
	write_escaped(file, text, strlen(text), '\0', '\0');
}

void escape_source(FILE *file, const char *text, size_t size)
{
	write_escaped(file, text, size, '\t', '\0');
}

void escape_lines(FILE *file, const char *text, size_t size)
{
	while (size > 0) {
		const char *end = memchr(text, '\n', size);
		const size_t part = end ? (size_t)(end - text) : size;

		escape_source(file, text, part);
		if (end)
			putc('\n', file);
		text += part + (end != NULL);
		size -= part + (end != NULL);
	}
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
