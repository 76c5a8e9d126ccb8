/* SPDX-License-Identifier: MIT */
/* threads_plain.c - knows nothing of the library, and counts its threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *next(void *number)
{
	return (void *)((uintptr_t)number + 1);
}

int main(void)
{
	void *count = NULL;
	pthread_t thread;

	for (int i = 0; i < 2000; i++)
		if (pthread_create(&thread, NULL, next, count) != 0 ||
		    pthread_join(thread, &count) != 0)
			return 1;
	printf("%d threads\n", (int)(uintptr_t)count);
	return 0;
}
