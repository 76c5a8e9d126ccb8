/* SPDX-License-Identifier: MIT */
/* leaves.c - main returns while another thread's crash is being reported. */
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include <whocallme.h>

static volatile bool is_reporting;

static void take_long(const void *info, void *ucontext, void *data)
{
	const struct timespec long_enough = { .tv_nsec = 300000000 };

	(void)info, (void)ucontext, (void)data;
	is_reporting = true;
	nanosleep(&long_enough, NULL);
}

static void *fault(void *argument)
{
	*(volatile int *)argument = 1;
	return NULL;
}

int main(void)
{
	const struct wcm_crash_options options = { .callback = take_long };
	pthread_t thread;

	wcm_crash_install(&options);
	pthread_create(&thread, NULL, fault, NULL);
	while (!is_reporting)
		continue;
	return 0;
}
