/* SPDX-License-Identifier: MIT */
/* calls.c - a program that makes calls and does little else.
 *
 *	calls MILLIONS		writes the nanoseconds that a call took
 *
 * It is built without hooks, with -finstrument-functions, whose hooks a preloaded
 * library brings, with -pg, and with NOPs; GIVEN, LIBRARY and SYSTEM are other calls.  traced.c
 * runs it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

#define UNTRACED __attribute__((no_instrument_function, noinline))

enum { PER_TURN = 4 };

/* SYSTEM: the threads that make them. */
#ifdef SYSTEM
enum { THREADS = SYSTEM };
#else
enum { THREADS = 1 };
#endif

/* GIVEN: with arguments, of which one is a string. */
#ifdef GIVEN
#define GETS int a, const char *b, double c
#define PASSES a, b, c
#define GIVES 7, "a few words", 2.5
#else
#define GETS void
#define PASSES
#define GIVES
#endif

/* Each of them touches memory that no compiler can foresee, so that no call goes. */
static volatile unsigned sum;

#ifdef SYSTEM
/* System calls of four kinds, two of which give back data. */
UNTRACED static void outer(void)
{
	const int fd = open("/etc/passwd", O_RDONLY);
	struct stat found;
	char text[100];

	if (fd < 0 || fstat(fd, &found) != 0 || read(fd, text, sizeof(text)) < 0 || close(fd) != 0)
		give_up("no /etc/passwd");
	sum += (unsigned char)text[0];
}
#elif defined(LIBRARY)
/* As many calls of a library's functions, which are built-in to no compiler here. */
UNTRACED static void outer(void)
{
	sum += (unsigned)abs(-7) + (unsigned)labs(8) + (unsigned)strlen("a few words") +
	       (unsigned)atoi("7");
}
#else
static __attribute__((noinline)) void leaf(GETS)
{
	sum++;
}

static __attribute__((noinline)) void other_leaf(GETS)
{
	sum += 2;
}

static __attribute__((noinline)) void middle(GETS)
{
	leaf(PASSES);
	other_leaf(PASSES);
	sum++;
}

static __attribute__((noinline)) void outer(GETS)
{
	middle(PASSES);
	sum++;
}
#endif

UNTRACED static void *make_turns(void *turns)
{
	const long count = *(long *)turns;

	for (long i = 0; i < count; i++)
		outer(GIVES);
	return NULL;
}

UNTRACED static double call_ns(double millions)
{
	long turns = (long)(millions * 1e6 / PER_TURN / THREADS);
	pthread_t thread[THREADS];
	double begin;

	outer(GIVES); /* what is done at the first event is not measured */
	begin = clock_ns();
	for (int i = 1; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, make_turns, &turns) != 0)
			give_up("no thread");
	make_turns(&turns);
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return (clock_ns() - begin) / ((double)turns * PER_TURN * THREADS);
}

UNTRACED int main(int argc, char *argv[])
{
	if (argc != 2)
		give_up("how many millions?");
	emit("call_ns", call_ns(atof(argv[1])));
	return 0;
}
