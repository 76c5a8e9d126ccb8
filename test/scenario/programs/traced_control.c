/* SPDX-License-Identifier: MIT */
/* traced_control.c - traces that start and stop while threads call.
 *
 *	traced_control MODES STARTERS WORKERS MICROSECONDS DIRECTORY
 *
 * Each starter goes through MODES, numbers of enum wcm_trace_mode, over and over: a
 * trace of some microseconds to DIRECTORY/<mode>, flushed every other time.
 */
#include <whocallme.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_instrument_function))
#define NOINLINE __attribute__((noinline))

enum { MOST = 32, RUN = 300 * 1000 /* microseconds */ };

static const char *modes, *directory;
static useconds_t duration;
static bool done;

NOINLINE static int leaf(int value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

NOINLINE static int middle(int value)
{
	return leaf(value) + leaf(value);
}

UNTRACED static void *work(void *unused)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		middle(1);
	return unused;
}

UNTRACED static void trace_once(unsigned turn)
{
	char output[4096];
	struct wcm_trace_options options = {
		.mode = (uint32_t)(modes[turn % strlen(modes)] - '0'),
		.output = output,
	};
	enum wcm_status status;

	snprintf(output, sizeof(output), "%s/%u", directory, options.mode);
	status = wcm_trace_start(&options);
	if (status != WCM_OK)
		printf("mode %u: %s\n", options.mode, wcm_status_text(status));
	usleep(duration);
	if (turn % 2)
		wcm_trace_flush();
	wcm_trace_stop();
}

UNTRACED static void *start_and_stop(void *unused)
{
	for (unsigned turn = 0; !__atomic_load_n(&done, __ATOMIC_RELAXED); turn++)
		trace_once(turn);
	return unused;
}

UNTRACED int main(int argc, char **argv)
{
	pthread_t thread[2 * MOST];
	int starters, all;

	if (argc != 6)
		return 2;
	modes = argv[1];
	starters = atoi(argv[2]) % MOST;
	all = starters + atoi(argv[3]) % MOST;
	duration = (useconds_t)atoi(argv[4]);
	directory = argv[5];
	for (int i = 0; i < all; i++)
		pthread_create(&thread[i], NULL,
			       i < starters ? start_and_stop : work, NULL);
	usleep(RUN);
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (int i = 0; i < all; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
