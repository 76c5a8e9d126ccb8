/* SPDX-License-Identifier: MIT */
/* lines.c - where the lines of a trace go. */
#include "hook/lines.h"

static int lines_fd = 2;

int wcm__lines_fd(void)
{
	return lines_fd;
}

void wcm__lines_to(int fd)
{
	lines_fd = fd;
}
