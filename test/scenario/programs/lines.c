/* SPDX-License-Identifier: MIT */
/* lines.c - stacks and reports whose lines are to be found, on stderr:
 *
 *	stack [ROUNDS]	by full_backtrace(), through namesakes and inlined functions
 *	signal		of a signal handler
 *	threads		of all threads
 *	crash [json]	of a thread that writes to NULL; [few]: without its modules
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <whocallme.h>

#define KEPT __attribute__((noinline))
#define ALIGNED __attribute__((aligned(4096)))
#define INLINED static inline __attribute__((always_inline))
#define NO_TAIL_CALL __asm__ volatile("")

void twin_call(void (*function)(int *));

static int *volatile nowhere;
static volatile int ready;

KEPT static void write_stack(int *data)
{
	(void)data;
	full_backtrace();
	NO_TAIL_CALL;
}

/* Its first instruction fails: the one before is another function's. */
KEPT static void write_nowhere(int *data)
{
	*data = 1;
}

INLINED void middle(void (*function)(int *))
{
	function(nowhere);
	NO_TAIL_CALL;
}

INLINED void outer(void (*function)(int *))
{
	middle(function);
	NO_TAIL_CALL;
}

/* twin.c has another of this name, which begins a page as well. */
KEPT ALIGNED static void namesake(void (*function)(int *))
{
	outer(function);
	NO_TAIL_CALL;
}

static void on_signal(int number)
{
	(void)number;
	write_stack(NULL);
	_exit(0);
}

static void *be_there(void *data)
{
	ready = 1;
	for (;;)
		NO_TAIL_CALL;
	return data;
}

KEPT static void write_threads(int *data)
{
	pthread_t thread;

	(void)data;
	if (pthread_create(&thread, NULL, be_there, NULL) != 0)
		exit(77);
	while (!ready)
		usleep(1000);
	wcm_threads_write(STDERR_FILENO);
}

static void crash(const char *how)
{
	struct wcm_crash_options options = { 0 };

	if (strcmp(how, "json") == 0)
		options.flags = WCM_CRASH_JSON;
	if (strcmp(how, "few") == 0)
		options.sections = WCM_SECTION_STACK | WCM_SECTION_THREADS;
	if (wcm_crash_install(&options) != WCM_OK)
		exit(77);
	twin_call(write_nowhere);
}

int main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "", *how = argc > 2 ? argv[2] : "1";

	init_function_table(argv[0]);
	if (strcmp(what, "crash") == 0)
		crash(how);
	if (strcmp(what, "threads") == 0)
		namesake(write_threads);
	if (strcmp(what, "signal") == 0) {
		signal(SIGSEGV, on_signal);
		namesake(write_nowhere);
	}
	for (int i = atoi(how); strcmp(what, "stack") == 0 && i > 0; i--) {
		namesake(write_stack);
		twin_call(write_stack);
	}
	return 0;
}
