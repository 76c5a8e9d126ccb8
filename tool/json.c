/* SPDX-License-Identifier: MIT */
/* json.c - strings as JSON has them. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

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
	size_t left = strlen(text), length;

	putc('"', file);
	for (; left > 0; text += length, left -= length) {
		length = utf8_length(text, left);
		if (length == 1)
			put_ascii(file, (unsigned char)*text);
		else if (length == 0)
			fputs("\\ufffd", file);
		else
			fwrite(text, 1, length, file);
		if (length == 0)
			length = 1;
	}
	putc('"', file);
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
