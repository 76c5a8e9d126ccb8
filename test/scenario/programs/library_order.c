/* SPDX-License-Identifier: MIT */
/* library_order.c - calls functions of libc in an order that is known, and says whether the
 * addresses of functions are still theirs. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*volatile compare)(const char *, const char *) = strcmp;

static int ascending(const void *a, const void *b)
{
	return (int)(strtol(*(char *const *)a, NULL, 10) - strtol(*(char *const *)b, NULL, 10));
}

int main(int argc, char *argv[])
{
	char *volatile text = strdup("some");
	char *volatile numbers[] = { "12", "9" };

	if (argc > 1 && (void *)compare != dlsym(RTLD_DEFAULT, argv[1]))
		puts("addresses differ");
	qsort((void *)numbers, 2, sizeof(*numbers), ascending);
	for (int i = 0; i < 3; i++)
		if (strchr(text, 'a' + i))
			abort();
	free(text);
	return compare(numbers[0], "9") != 0;
}
