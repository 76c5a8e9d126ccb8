/* SPDX-License-Identifier: MIT */
/* threads.c - THREADS threads that make CALLS calls in all, and say how many each of
 * them made: two numbers are the arguments.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1024, CALLS_A_ROUND = 4 };

static long rounds;

static int leaf(int value)
{
	__asm__ volatile("");
	return value + 1;
}

static int branch(int value)
{
	return leaf(leaf(value));
}

static void *run(void *made)
{
	int value = 0;
	long calls = 1;

	for (long i = 0; i < rounds; i++) {
		value = leaf(branch(value));
		calls += CALLS_A_ROUND;
	}
	*(long *)made = value == (int)(3 * rounds) ? calls : -1;
	return NULL;
}

int main(int argc, char *argv[])
{
	static pthread_t thread[MOST];
	static long made[MOST];
	long threads = argc > 2 ? atol(argv[1]) : 0, sum = 1;

	if (threads < 1 || threads > MOST)
		return 2;
	rounds = atol(argv[2]) / threads / CALLS_A_ROUND;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, run, &made[i]) != 0)
			return 2;
	for (long i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum += made[i];
	}
	printf("%ld calls\n", sum);
	return 0;
}
