/* SPDX-License-Identifier: MIT */
/* record.c - every call of two threads, to look at afterwards:
 *
 *	cc -finstrument-functions -o record record.c -lwhocallme -lpthread
 *	./record && whocallme replay calls && whocallme report calls
 */
#include <pthread.h>
#include <stdio.h>
#include <whocallme.h>

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void *work(void *n)
{
	*(int *)n = fibonacci(*(int *)n);
	return NULL;
}

int main(void)
{
	const struct wcm_trace_options options = {
		.mode = WCM_TRACE_RECORD, .output = "calls",
	};
	int numbers[] = { 5, 7 };
	pthread_t thread;

	if (wcm_trace_start(&options) != WCM_OK ||
	    pthread_create(&thread, NULL, work, &numbers[0]) != 0)
		return 1;
	work(&numbers[1]);
	pthread_join(thread, NULL);
	wcm_trace_stop();
	printf("%d %d\n", numbers[0], numbers[1]);
	return 0;
}
