/* SPDX-License-Identifier: MIT */
/* crashes.c HOW - die, three calls deep, in the way that HOW names. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static int *volatile nowhere;
static void (*volatile no_function)(void);
static volatile int depth;

APART static void write_null(void)
{
	*nowhere = 1;
}

APART static void call_null(void)
{
	no_function();
	depth--;
}

APART static void end(void)
{
	abort();
}

APART static void divide(void)
{
	depth = 7 / depth;
}

APART static void misbehave(void)
{
	raise(SIGILL);
	depth--;
}

APART static int overflow(int from)
{
	volatile char room[4096];

	room[0] = (char)from;
	depth++;
	return overflow(from + 1) + room[0];
}

APART static void run_over(void)
{
	depth = overflow(0);
}

static const struct way {
	const char *name;
	void (*die)(void);
} ways[] = {
	{ "write", write_null }, { "call", call_null },	 { "abort", end },
	{ "divide", divide },	 { "raise", misbehave }, { "overflow", run_over },
};

APART void seen_by_the_linker(const struct way *way)
{
	way->die();
	depth--;
}

APART static void *in_thread(void *way)
{
	seen_by_the_linker(way);
	return NULL;
}

static int run(const struct way *way, int other)
{
	pthread_t thread;

	if (!other) {
		seen_by_the_linker(way);
		return 0;
	}
	return pthread_create(&thread, NULL, in_thread, (void *)way) ||
	       pthread_join(thread, NULL);
}

int main(int argc, char *argv[])
{
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			return run(&ways[i], argc > 2);
	return 2;
}
