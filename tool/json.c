/* SPDX-License-Identifier: MIT */
/* json.c - strings as JSON has them. */
#include "json.h"

#include <stdio.h>
#include <string.h>

#include "utf8.h"

static void put_ascii(unsigned char c)
{
	if (c == '"' || c == '\\')
		printf("\\%c", c);
	else if (c < 0x20 || c == 0x7f)
		printf("\\u%04x", c);
	else
		putchar(c);
}

void json_print(const char *text)
{
	size_t left = strlen(text), length;

	putchar('"');
	for (; left > 0; text += length, left -= length) {
		length = utf8_length(text, left);
		if (length == 1)
			put_ascii((unsigned char)*text);
		else if (length == 0)
			fputs("\\ufffd", stdout);
		else
			fwrite(text, 1, length, stdout);
		if (length == 0)
			length = 1;
	}
	putchar('"');
}
