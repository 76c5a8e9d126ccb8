/* SPDX-License-Identifier: MIT */
/* arguments_given.c - calls library functions that are given values of each kind; to be compiled
 * with -fno-builtin, for compilers know what these do, and would call none. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A function that only computes something is not called where nobody wants that. */
static volatile long kept;

int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int alike(void)
{
	static const int values[] = { 1, 1, 1, 1, 1, 2, 1 };

	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++)
		kept = abs(values[i]);
	return 0;
}

/* What is given looks like a record: the pointer like a time, and the rest as if it was marked. */
static int marked(void)
{
	static char bytes[64];

	for (int c = 0; c < 256; c++)
		for (size_t size = 0; size < sizeof(bytes); size += 9)
			memset(bytes, c, size);
	return 0;
}

static int constant(void)
{
	for (int i = 0; i < 1000; i++)
		kept = (long)strlen("a constant");
	return 0;
}

int main(int argc, char *argv[])
{
	int numbers[] = { 3, 1, 2 };

	if (argc > 1)
		return *argv[1] == 'm' ? marked() : *argv[1] == 'c' ? constant() : alike();
	kept = (long)pow(2.5, 3);
	fopen("in.txt", "r");
	qsort(numbers, 3, sizeof(*numbers), compare);
	kept = (long)sqrtf(2.25f);
	kept = (long)powl(1.5L, 2);
	printf("%d %g %s\n", 17, 2.25, "words");
	kept = div(17, -5).rem;
	kept = ldiv(100, 7).rem;
	mallinfo2();
	getenv("TERM");
	umask(022);
	lseek(-1, -1000000000000, SEEK_END);
	kept = !strchr("a string that is longer than \"thirty-two\" bytes", 'z');
	mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	exit(3);
}
