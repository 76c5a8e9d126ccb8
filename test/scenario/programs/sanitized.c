/* SPDX-License-Identifier: MIT */
/* sanitized.c - what a sanitizer reports, and what it leaves.  -DUNAWARE knows of no
 * report of ours.
 *
 *	sanitized heap|race|shift|leak|uninitialized|write|named|abort|locked
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef UNAWARE
#define wcm_crash_install(options) ((void)(options))
#define init_function_table(path) ((void)(path))
#define full_backtrace()
#else
#include <whocallme.h>
#endif

static int shared;

static void *count_up(void *unused)
{
	for (int i = 0; i < 1000; i++)
		shared++;
	return unused;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void count_locked(void)
{
	pthread_mutex_lock(&mutex);
	shared++;
	pthread_mutex_unlock(&mutex);
}

static void *count_up_locked(void *unused)
{
	for (int i = 0; i < 1000; i++)
		count_locked();
	return unused;
}

static void no_race(void)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, count_up_locked, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void race(void)
{
	pthread_t one, other;

	pthread_create(&one, NULL, count_up, NULL);
	pthread_create(&other, NULL, count_up, NULL);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
}

__attribute__((noinline)) static void leak(void)
{
	void *volatile block = malloc(77);

	block = NULL;
	(void)block;
}

static void load_names(void)
{
	init_function_table("/proc/self/exe");
	full_backtrace();
}

static int misuse(const char *how)
{
	char *volatile block = malloc(8);
	int *volatile nowhere = (int *)16;
	volatile int bits = 40;

	if (strcmp(how, "heap") == 0)
		block[8] = 1;
	else if (strcmp(how, "race") == 0)
		race();
	else if (strcmp(how, "locked") == 0)
		no_race();
	else if (strcmp(how, "shift") == 0)
		bits = 1 << bits;
	else if (strcmp(how, "leak") == 0)
		leak();
	else if (strcmp(how, "uninitialized") == 0 && block[3])
		bits = 1;
	else if (strcmp(how, "named") == 0)
		load_names();
	if (strcmp(how, "write") == 0 || strcmp(how, "named") == 0)
		*nowhere = 1;
	if (strcmp(how, "abort") == 0)
		abort();
	free(block);
	return 0;
}

int main(int argc, char *argv[])
{
	if (argc < 2)
		return 2;
	wcm_crash_install(NULL);
	return misuse(argv[1]);
}
