/* SPDX-License-Identifier: MIT */
/* calls.c - a program that makes calls and does little else.
 *
 *	calls MILLIONS		writes the nanoseconds that a call took
 *
 * It is built without hooks, with -finstrument-functions, whose hooks a preloaded
 * library brings, and with -pg.  traced.c runs it.
 */
#include "clock.h"

#define UNTRACED __attribute__((no_instrument_function, noinline))

enum { PER_TURN = 4 };

/* Each of them touches memory that no compiler can foresee, so that no call goes. */
static volatile unsigned sum;

static __attribute__((noinline)) void leaf(void)
{
	sum++;
}

static __attribute__((noinline)) void other_leaf(void)
{
	sum += 2;
}

static __attribute__((noinline)) void middle(void)
{
	leaf();
	other_leaf();
	sum++;
}

static __attribute__((noinline)) void outer(void)
{
	middle();
	sum++;
}

UNTRACED static double call_ns(double millions)
{
	long turns = (long)(millions * 1e6 / PER_TURN);
	double begin;

	outer(); /* what is done at the first event is not measured */
	begin = clock_ns();
	for (long i = 0; i < turns; i++)
		outer();
	return (clock_ns() - begin) / ((double)turns * PER_TURN);
}

UNTRACED int main(int argc, char *argv[])
{
	if (argc != 2)
		give_up("how many millions?");
	emit("call_ns", call_ns(atof(argv[1])));
	return 0;
}
