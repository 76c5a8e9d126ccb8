/* SPDX-License-Identifier: MIT */
/* sampled_plugin.c - a module like another, whose frames are of size FRAME. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define KEEP() __asm__ volatile("" ::: "memory")

void plugin_runs(void (*run)(void));

NOINLINE static int compare(const void *a, const void *b)
{
	volatile char frame[FRAME];

	frame[1] = 0;
	return *(const int *)a - *(const int *)b + frame[1];
}

NOINLINE static void sort(int seed)
{
	int many[50];
	volatile char frame[FRAME * 2];

	frame[1] = 0;
	for (int i = 0; i < 50; i++)
		many[i] = i * seed % 101 + frame[1];
	qsort(many, 50, sizeof(*many), compare);
}

void plugin_runs(void (*run)(void))
{
	volatile char frame[FRAME * 3];

	frame[1] = 0;
	for (int i = 1; i < 50; i++)
		sort(7919 * i + frame[1]);
	run();
	KEEP();
}
