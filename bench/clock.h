/* SPDX-License-Identifier: MIT */
/* clock.h - how long does it take, and where does the answer go?
 *
 * A program measures one contender in one process and writes a line a sample,
 * "METRIC<tab>VALUE"; run.sh puts the contenders side by side.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline void emit(const char *metric, double value)
{
	printf("%s\t%.9g\n", metric, value);
}

static inline void emit_text(const char *metric, const char *text)
{
	printf("%s\t%s\n", metric, text);
}

static inline _Noreturn void give_up(const char *why)
{
	fprintf(stderr, "bench: %s\n", why);
	exit(1);
}

static inline int compare_doubles(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Sorts VALUE. */
static inline double median(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), compare_doubles);
	return value[count / 2];
}

#endif
