/* SPDX-License-Identifier: MIT */
/* library_nested.c - with LIBRARY a library, else a program that calls it: functions of both call
 * libc's. */
#include <stdio.h>
#include <string.h>

#define OUTLINE __attribute__((noinline))

int area(const char *name);

#ifdef LIBRARY

OUTLINE static int length(const char *name) { return (int)strlen(name); }

int area(const char *name)
{
	int side = length(name);

	return side * side;
}

#else

OUTLINE static int calls(int x) { return area("name") + area("other") + x; }

int main(void)
{
	printf("%d\n", calls(1));
	return 0;
}

#endif
