/* SPDX-License-Identifier: MIT */
/* lined.c - dies in a function that is inlined into others, with the report installed
 * as the arguments after the first say. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifndef UNAWARE
#include <whocallme.h>
#endif

#define KEPT __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))
#define NO_TAIL_CALL __asm__ volatile("")

static volatile int zero, sink;

/* Where an inlined function begins, gdb takes a live process not to be in it yet. */
INLINED void innermost(int value)
{
	sink = value;
	sink = value + *(volatile int *)(uintptr_t)zero;
}

INLINED void between(int value)
{
	sink = value;
	innermost(value + sink);
}

KEPT static void outer(void)
{
	between(sink + 1);
	NO_TAIL_CALL;
}

KEPT static void gives_up(void)
{
	abort();
}

static void on_signal(int signal)
{
	sink = signal;
	outer();
	NO_TAIL_CALL;
}

KEPT static void in_handler(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	NO_TAIL_CALL;
}

static pthread_barrier_t all_wait;

KEPT static void *waits(void *argument)
{
	pthread_barrier_wait(&all_wait);
	pause();
	return argument;
}

KEPT static void beside_another(void)
{
	pthread_t thread;

	pthread_barrier_init(&all_wait, NULL, 2);
	pthread_create(&thread, NULL, waits, NULL);
	pthread_barrier_wait(&all_wait);
	usleep(100000);
	outer();
	NO_TAIL_CALL;
}

#ifndef UNAWARE
static void say(const void *info, void *ucontext, void *data)
{
	(void)info, (void)ucontext;
	sink = (int)write(2, data, strlen(data));
}

static const char *value(const char *argument, const char *name)
{
	size_t length = strlen(name);

	return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static int install(char *arguments[])
{
	static char word[] = "called back\n";
	struct wcm_crash_options options = { 0 };

	for (const char *text; *arguments; arguments++)
		if ((text = value(*arguments, "file=")))
			options.file = text;
		else if ((text = value(*arguments, "helper=")))
			options.helper = text;
		else if ((text = value(*arguments, "deadline=")))
			options.deadline_ms = (uint32_t)atoi(text);
		else if (strcmp(*arguments, "callback") == 0)
			options.callback = say, options.callback_data = word;
		else if (strcmp(*arguments, "file_only") == 0)
			options.flags |= WCM_CRASH_FILE_ONLY;
		else if (strcmp(*arguments, "json") == 0)
			options.flags |= WCM_CRASH_JSON;
		else if (strcmp(*arguments, "no_lines") == 0)
			options.flags |= WCM_CRASH_NO_LINES;
	return wcm_crash_install(&options);
}
#endif

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*run)(void);
	} deaths[] = { { "outer", outer },
		       { "gives_up", gives_up },
		       { "in_handler", in_handler },
		       { "beside_another", beside_another } };

#ifndef UNAWARE
	if (install(argv + 2) != WCM_OK)
		return 3;
#endif
	if (chdir("/") != 0)
		return 4;
	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		if (argc > 1 && strcmp(argv[1], deaths[i].name) == 0)
			deaths[i].run();
	return 5;
}
