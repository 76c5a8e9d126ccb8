/* SPDX-License-Identifier: MIT */
/* traced_ends.c - functions that end in every way that C has. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLED __attribute__((noinline, noclone))

CALLED int leaf(int x)
{
	__asm__ volatile("");
	return x * 3 + 1;
}

/* Sibling calls, in one block with the return, and in one of several. */
CALLED int sibling(int x)
{
	return leaf(x + 1);
}

CALLED int sibling_or_not(int x, int y)
{
	int result;

	if (x)
		result = leaf(y);
	else
		result = y + 4;
	return result;
}

CALLED int of_eight(int a, int b, int c, int d, int e, int f, int g, int h)
{
	__asm__ volatile("");
	return a + b + c + d + e + f + g + h;
}

/* A sibling call whose arguments do not fit where the caller's were: it stays a call. */
CALLED int sibling_refused(int x)
{
	if (x)
		return of_eight(x, x, x, x, x, x, x, x);
	return x;
}

struct large {
	long words[16];
};

CALLED struct large returns_memory(long x)
{
	return (struct large){ { x, x + 1 } };
}

CALLED int takes_many(int count, ...)
{
	va_list list;
	int sum = 0;

	va_start(list, count);
	while (count--)
		sum += va_arg(list, int);
	va_end(list);
	return sum;
}

CALLED int jumps_about(int x)
{
	static void *const places[] = { &&odd, &&even };

	goto *places[x % 2 == 0];
odd:
	return leaf(x);
even:
	if (x > 4)
		return 2;
	x += leaf(x);
	goto *places[1];
}

/* A sibling call whose return is jumped to, too, by an edge that nothing can be put on. */
CALLED int jumps_beside(int x)
{
	static void *const places[] = { &&calls, &&out };

	goto *places[x % 2];
calls:
	x = leaf(x);
out:
	return x;
}

/* The same without knowing where to, and of two calls. */
CALLED int jumps_between(int x)
{
	static void *const places[] = { &&one, &&other, &&out };

	goto *places[x % 3];
one:
	return leaf(x);
other:
	return leaf(x + 10);
out:
	return x;
}

/* By what may jump. */
CALLED int may_jump_beside(int x)
{
	__asm__ goto("" : : : : out);
	x = leaf(x);
out:
	return x;
}

CALLED int recurs(int x)
{
	return x <= 1 ? 1 : x * recurs(x - 1);
}

CALLED int has_nested(int x)
{
	int nested(int y)
	{
		return x + leaf(y);
	}

	return nested(1) + nested(2);
}

/* Returns from the middle of a function by way of one that is nested. */
CALLED int leaves_from_nested(int x)
{
	__label__ out;
	__attribute__((noinline)) void nested(int y)
	{
		if (y > 1)
			goto out;
	}

	nested(x);
	return 1;
out:
	return 2;
}

/* Gives back what another function gives back. */
CALLED int passes_on(int x)
{
	void *arguments = __builtin_apply_args();

	__builtin_return(__builtin_apply((void (*)())leaf, arguments, 64));
	return x;
}

static inline int small(int x)
{
	return x + 7;
}

__attribute__((always_inline)) static inline int always(int x)
{
	return leaf(x) + 1;
}

__attribute__((no_instrument_function)) CALLED int untold(int x)
{
	return x;
}

CALLED void gives_up(int status)
{
	if (status > 100)
		exit(status - 100);
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %d %d", sibling(argc), sibling_or_not(0, 1), sibling_or_not(1, 2));
	printf(" %d %d", sibling_refused(0), sibling_refused(2));
	printf(" %ld %d", returns_memory(3).words[1], takes_many(3, 1, 2, 3));
	printf(" %d %d %d", jumps_about(1), jumps_about(2), recurs(5));
	printf(" %d %d %d", jumps_beside(2), jumps_beside(3), may_jump_beside(1));
	printf(" %d %d %d", jumps_between(3), jumps_between(4), jumps_between(5));
	printf(" %d %d %d", has_nested(1), leaves_from_nested(1), leaves_from_nested(2));
	printf(" %d %d %d %d\n", passes_on(4), small(argc), always(argc), untold(argc));
	fflush(stdout);
	gives_up(1);
	gives_up(100 + 3);
}
