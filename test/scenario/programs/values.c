/* SPDX-License-Identifier: MIT */
/* values.c - functions with arguments and values of every size. */
#include <time.h>

static char one(char c)
{
	return c;
}

static int four(int i)
{
	return i;
}

static long eight(long l)
{
	return l;
}

static float single(float f)
{
	return f;
}

static double twice_as_wide(double d)
{
	return d;
}

static long double extended(long double d)
{
	return d;
}

static const char *text(const char *s)
{
	return s;
}

static void *place(void *p)
{
	return p;
}

static long many(long a, int b, const char *c, double d, char e, long f, long g)
{
	return a + b + *c + (long)d + e + f + g;
}

static long two(long one, long other)
{
	return one + other;
}

/* What looks like the first half of a record, and then like the second. */
static void looks_like_a_record(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (long i = 0; i < 2048; i++)
		two(now.tv_sec * 1000000000L + now.tv_nsec + 1000000000, i);
}

int main(int argc, char **argv)
{
	const char *last = argc > 1 ? argv[1] : "1234567890 is the last text";

	text("");
	text("sixteen, with 2"); /* and its length */
	text("a text that is so long that it takes many words of the recording");
	for (int i = 0; i < 300; i++) {
		one((char)i);
		four(-i);
		eight(i * 1000003L);
		single((float)i);
		twice_as_wide(i);
		extended(i);
		place(&i);
		text("text" + i % 4);
		many(i, i, "abc" + i % 3, i, 'a', i, -i);
	}
	looks_like_a_record();
	text(last);
	return 0;
}
