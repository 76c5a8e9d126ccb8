/* SPDX-License-Identifier: MIT */
/* source.c - the text of a line. */
#include "source.h"

const char *source_line(const char *file, unsigned line, size_t *length)
{
	(void)file, (void)line, (void)length;
	return NULL;
}
