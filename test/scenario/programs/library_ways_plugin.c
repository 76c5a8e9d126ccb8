/* SPDX-License-Identifier: MIT */
/* library_ways_plugin.c - a library that calls others, also when it is loaded. */
#include <stdlib.h>
#include <string.h>

static char *made;

__attribute__((constructor)) static void make(void)
{
	made = strdup("22");
}

int plugged(int x)
{
	return x + atoi(made);
}

__attribute__((destructor)) static void give_back(void)
{
	free(made);
}
