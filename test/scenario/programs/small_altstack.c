/* SPDX-License-Identifier: MIT */
/* small_altstack.c - crashes with an alternate stack that may have no room for the kernel's frame.
 *
 *	small_altstack SIZE before|after HOW [thread]
 *
 * The stack is set before or after the library is installed, if that is linked.  HOW: "null" reads
 * NULL; "overflow" needs more than its own stack; "handled" has a handler on that stack first.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef UNAWARE
#define wcm_crash_install(options) ((void)(options))
#else
#include <whocallme.h>
#endif

static char **given;
static size_t size;

static void set_stack(void)
{
	const stack_t stack = { .ss_sp = malloc(size), .ss_size = size };
	stack_t now;

	if (size == 0)
		return;
	if (sigaltstack(&stack, NULL) != 0)
		exit(77);
	sigaltstack(NULL, &now);
	if (now.ss_sp != stack.ss_sp || now.ss_size != size || now.ss_flags != 0)
		exit(1);
}

__attribute__((noinline)) static int overflow(int depth)
{
	volatile char room[4096];

	room[0] = (char)depth;
	return overflow(depth + 1) + room[0];
}

static void handled(int number)
{
	puts("handled");
	fflush(stdout);
	signal(number, SIG_DFL);
	raise(number);
}

__attribute__((noinline)) static void die(void)
{
	struct sigaction action = { .sa_handler = handled, .sa_flags = SA_ONSTACK };

	if (strcmp(given[2], "overflow") == 0)
		overflow(0);
	if (strcmp(given[2], "handled") == 0)
		sigaction(SIGSEGV, &action, NULL);
	*(volatile int *)0 = 1;
}

static void *run(void *unused)
{
	const int is_before = strcmp(given[1], "before") == 0;
	struct wcm_crash_options *options = NULL;

	if (is_before)
		set_stack();
	if (!given[3])
		wcm_crash_install(options);
	if (!is_before)
		set_stack();
	die();
	return unused;
}

int main(int argc, char *argv[])
{
	struct wcm_crash_options *options = NULL;
	pthread_t thread;

	given = argv + 1;
	size = (size_t)atol(given[0]);
	if (argc < 5)
		run(NULL);
	wcm_crash_install(options);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 1;
}
