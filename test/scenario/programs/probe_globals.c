/* SPDX-License-Identifier: MIT */
/* probe_globals.c - probes whose values are in global variables; it prints them, too. */
#include <stdio.h>
#include <whocallme/probe.h>

static struct {
	int first;
	short second;
} pair = { 1, 2 };
static long many[4] = { 10, 20, 30, 40 };
static char letter = 'a';
int shown = 7;

__attribute__((noinline)) static void tell(int i)
{
	WCM_PROBE(globals, tell, pair.first, pair.second, many[2], many[i], letter, shown);
}

__attribute__((noinline)) static void print(int i)
{
	printf("globals:tell(%d, %d, %ld, %ld, %d, %d)\n", pair.first, pair.second, many[2],
	       many[i], letter, shown);
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 3; i++) {
		tell(i);
		print(i);
		pair.first += argc;
		pair.second -= 4;
		many[2] *= -3;
		letter++;
		shown += 100;
	}
	return 0;
}
