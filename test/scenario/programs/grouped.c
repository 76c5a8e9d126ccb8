/* SPDX-License-Identifier: MIT */
/* grouped.c - the same crash and others, by several ways: grouped DEATH. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))
#define ALWAYS_INLINE static inline __attribute__((always_inline))

static volatile int *volatile null, other;

ALWAYS_INLINE void innermost(void)
{
	*null = 1; /* the fault */
}

ALWAYS_INLINE void middle(void)
{
	innermost(); /* the first call */
	other = 2;
}

KEPT static void by_null(void)
{
	middle(); /* the second call */
	other = 3;
}

KEPT static void by_abort(void)
{
	abort();
}

KEPT static void by_assert(void)
{
	assert(other == 1);
}

KEPT static void by_raise(void)
{
	raise(SIGSEGV);
	other = 4;
}

/* To another depth each time, and by one function or two in turn. */
KEPT static void again(int depth)
{
	if (depth > 0)
		again(depth - 1);
	else
		by_null();
	other = 6;
}

KEPT static void turns(int depth);

KEPT static void takes(int depth)
{
	turns(depth - 1);
	other = 7;
}

KEPT static void turns(int depth)
{
	if (depth > 0)
		takes(depth);
	else
		by_null();
	other = 8;
}

static int levels;

KEPT static void by_recursion(void)
{
	again(levels);
	other = 10;
}

KEPT static void by_turns(void)
{
	turns(levels);
	other = 11;
}

static void *wait_in_thread(void *argument)
{
	pause();
	return argument;
}

KEPT static void in_crowd(void)
{
	pthread_t thread;

	for (int i = 0; i < levels; i++)
		pthread_create(&thread, NULL, wait_in_thread, NULL);
	abort();
}

KEPT static void by_kill(void)
{
	kill(getpid(), SIGSEGV);
	other = 9;
}

KEPT static void on_usr1(int signal)
{
	by_null();
	other = signal;
}

KEPT static void in_handler(void)
{
	signal(SIGUSR1, on_usr1);
	raise(SIGUSR1);
	other = 5;
}

static const struct {
	const char *name;
	void (*die)(void);
} deaths[] = {
	{ "null", by_null },   { "abort", by_abort },	  { "assert", by_assert },
	{ "raise", by_raise }, { "handler", in_handler },
	{ "kill", by_kill },	 { "recursion", by_recursion },
	{ "turns", by_turns }, { "crowd", in_crowd },
};

int main(int argc, char *argv[])
{
	levels = argc > 2 ? atoi(argv[2]) : 0;
	for (unsigned i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		if (argc > 1 && strcmp(deaths[i].name, argv[1]) == 0)
			deaths[i].die();
	return other & 1;
}
