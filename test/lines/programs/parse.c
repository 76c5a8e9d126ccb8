/* SPDX-License-Identifier: MIT */
/* parse.c - the second unit of plain.c. */
#include "plain.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : -1;
}

static int number(const char **at)
{
	int value = 0, sign = 1;

	if (**at == '-') {
		sign = -1;
		++*at;
	}
	while (digit(**at) >= 0)
		value = clamp(value * 10 + digit(*(*at)++), 0, 100000);
	return sign * value;
}

int plain_parse(const char *text, int *values, size_t room)
{
	size_t count = 0;

	while (*text && count < room) {
		values[count++] = number(&text);
		if (*text && *text++ != ',')
			plain_fail("a comma");
	}
	if (mix_all(values, count) == 0)
		puts("what luck");
	return (int)count;
}

void plain_fail(const char *what)
{
	fprintf(stderr, "plain: %s is missing\n", what);
	exit(1);
}
