/* SPDX-License-Identifier: MIT */
/* complain.c - what goes wrong, in a line on stderr that says whose it is. */
#include "base/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"

static char name[32] = "whocallme";

void complain_as(const char *command)
{
	snprintf(name, sizeof(name), "whocallme %s", command);
}

const char *complain_name(void)
{
	return name;
}

void complain_begin(void)
{
	fprintf(stderr, "%s: ", name);
}

void complain_rest(const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		return;
	escape_text(stderr, text);
	free(text);
}

void complain(const char *format, ...)
{
	va_list arguments;

	complain_begin();
	va_start(arguments, format);
	complain_rest(format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

void complain_of_memory(void)
{
	complain("out of memory");
}
