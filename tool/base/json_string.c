/* SPDX-License-Identifier: MIT */
/* json_string.c - writes strings as JSON. */
#include "base/json_string.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/printable.h"

/* As JSON has a character that is not to be seen as it is. */
static void put_escape(FILE *file, uint32_t character)
{
	if (character < 0x10000)
		fprintf(file, "\\u%04x", (unsigned)character);
	else
		fprintf(file, "\\u%04x\\u%04x",
			(unsigned)(0xd7c0 + (character >> 10)),
			(unsigned)(0xdc00 + (character & 0x3ff)));
}

/* Write the first character of the SIZE bytes at TEXT; returns how many are its. */
static size_t put_character(FILE *file, const char *text, size_t size)
{
	uint32_t character = 0xfffd;
	const size_t length = wcm__utf8_length(text, size, &character);

	if (length > 0 && wcm__printable_length(text, size) > 0)
		fwrite(text, 1, length, file);
	else
		put_escape(file, length > 0 ? character : 0xfffd);
	return length > 0 ? length : 1;
}

static void put_string(FILE *file, const char *text)
{
	size_t left = strlen(text), length;

	putc('"', file);
	for (; left > 0; text += length, left -= length) {
		if (*text == '"' || *text == '\\')
			putc('\\', file);
		length = put_character(file, text, left);
	}
	putc('"', file);
}

void json_print_text(FILE *file, const char *text)
{
	size_t left = strlen(text), length;

	for (; left > 0; text += length, left -= length)
		length = put_character(file, text, left);
}

void json_print(const char *text)
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
