/* SPDX-License-Identifier: MIT */
/* sled_arguments.c - whether functions get what they were given, of each kind that the
 * psABI has, while they are traced.  Its argument: how often each is called. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTLINE __attribute__((noinline))

typedef float wide __attribute__((vector_size(32)));
typedef float widest __attribute__((vector_size(64)));
struct two { int64_t a; double b; };
struct large { int64_t word[9]; };

OUTLINE int64_t integers(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f,
			 int64_t g, int64_t h)
{
	return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g + 19 * h;
}

OUTLINE double doubles(double a, double b, double c, double d, double e, double f, double g,
		       double h, double i)
{
	return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g + 19 * h + 23 * i;
}

OUTLINE double sum(int count, ...)
{
	double all = 0;
	va_list list;

	va_start(list, count);
	while (count-- > 0)
		all += va_arg(list, double);
	va_end(list);
	return all;
}

OUTLINE double by_value(struct two two, struct large large)
{
	return (double)two.a + two.b + (double)large.word[0] + (double)large.word[8];
}

OUTLINE struct large returned(int64_t x)
{
	struct large large;

	for (int i = 0; i < 9; i++)
		large.word[i] = x + i;
	return large;
}

OUTLINE long double x87(long double a, long double b) { return a / b; }
OUTLINE double complex product(double complex a, double complex b) { return a * b; }
#ifdef __SIZEOF_INT128__
typedef __int128 large_integer;
#else
typedef long long large_integer;
#endif
OUTLINE large_integer wide_integer(large_integer a, large_integer b) { return a + b; }

/* Who is called takes the arguments off. */
#ifdef __i386__
#define POPS __attribute__((stdcall))
#else
#define POPS
#endif
OUTLINE POPS int popped(int a, int b, int c, int d) { return a + 2 * b + 3 * c + 4 * d; }

/* Calls that never return have been where the arguments are: their frames differ in size. */
static jmp_buf jumped_to;
OUTLINE int jumps(int depth, int i)
{
	volatile char room[(depth + i) % 5 * 16 + 1];

	room[0] = (char)i;
	if (depth == 0)
		longjmp(jumped_to, 1);
	return jumps(depth - 1, i) + room[0];
}

OUTLINE int popped_below(int depth)
{
	volatile int value = popped(depth, 1, 2, 3);
	const int below = depth > 0 ? popped_below(depth - 1) - 20 : 0;

	return value + below;
}

#ifdef AVX
__attribute__((target("avx"))) OUTLINE wide vectors(wide a, wide b) { return a + b; }

__attribute__((target("avx"))) static int vectors_differ(int i)
{
	const wide a = { (float)i, 1, 2, 3, 4, 5, 6, 7 }, b = { 7, 6, 5, 4, 3, 2, 1, (float)i };
	const wide c = vectors(a, b);

	return c[0] != (float)i + 7 || c[4] != 7 || c[7] != 7 + (float)i;
}

__attribute__((target("avx512f"))) OUTLINE widest vectors512(widest a, widest b)
{
	return a + b;
}

__attribute__((target("avx512f"))) static int vectors512_differ(int i)
{
	widest a = { 0 }, b = { 0 }, c;

	a[15] = (float)i, b[15] = 3, a[8] = 5, b[0] = (float)i;
	c = vectors512(a, b);
	return c[15] != (float)i + 3 || c[8] != 5 || c[0] != (float)i;
}
#endif

#ifndef __clang__
/* A nested function has its frame's address in the static chain's register. */
static int nested_differs(int i)
{
	int local = i;
	__attribute__((noinline)) int nested(int x) { return local + x; }

	return nested(1) != i + 1;
}
#endif

static int differ(int i)
{
	const struct two two = { i, 0.5 };
	const struct large large = { { i, 0, 0, 0, 0, 0, 0, 0, 3 } };
	const int high = 8 * (int)sizeof(large_integer) - 58;
	int wrong = 0;

	wrong += integers(i, 1, 2, 3, 4, 5, 6, 7) != i + 378;
	wrong += doubles(i, 1, 2, 3, 4, 5, 6, 7, 8) != i + 562;
	wrong += sum(9, 1., 2., 3., 4., 5., 6., 7., 8., (double)i) != 36 + i;
	wrong += by_value(two, large) != 2. * i + 3.5;
	wrong += returned(i).word[8] != i + 8;
	wrong += x87(3 * (long double)i, 3) != i;
	wrong += product(i + 2 * I, 2) != 2 * i + 4 * I;
	wrong += popped(i, 1, 2, 3) != i + 20;
	if (setjmp(jumped_to) == 0)
		jumps(40, i);
	wrong += popped_below(20) != 230;
	wrong += wide_integer((large_integer)i << high, 5) != ((large_integer)i << high) + 5;
#ifdef AVX
	if (__builtin_cpu_supports("avx"))
		wrong += vectors_differ(i);
	if (__builtin_cpu_supports("avx512f"))
		wrong += vectors512_differ(i);
#endif
#ifndef __clang__
	wrong += nested_differs(i);
#endif
	return wrong;
}

int main(int argc, char *argv[])
{
	int wrong = 0;

	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++)
		wrong += differ(i);
	printf("%d\n", wrong);
	return 0;
}
