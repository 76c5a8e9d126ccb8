/* SPDX-License-Identifier: MIT */
/* threads.c - threads that are somewhere, and what is written of them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <whocallme.h>

#include "machine.h"

#define KEPT __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")

static int nothing[2];
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static volatile int spinning;

KEPT static void spin(void)
{
	spinning = 1;
	for (;;)
		PAUSE();
}

KEPT static void read_nothing(void)
{
	char byte;

	while (read(nothing[0], &byte, 1) < 0)
		;
	NO_TAIL_CALL;
}

KEPT static void lock_held(void)
{
	pthread_mutex_lock(&held);
	NO_TAIL_CALL;
}

KEPT static int recurse(int depth)
{
	if (depth > 0)
		return recurse(depth - 1) + 1;
	read_nothing();
	return 0;
}

static void *reader(void *argument)
{
	pthread_setname_np(pthread_self(), "reader");
	read_nothing();
	return argument;
}

static void *locker(void *argument)
{
	pthread_setname_np(pthread_self(), "locker");
	lock_held();
	return argument;
}

static void *deep(void *argument)
{
	pthread_setname_np(pthread_self(), "deep");
	recurse(20);
	return argument;
}

static void *spinner(void *argument)
{
	pthread_setname_np(pthread_self(), "spin\tner");
	spin();
	return argument;
}

static void *deaf(void *argument)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_setname_np(pthread_self(), "deaf");
	read_nothing();
	return argument;
}

static void sleep_ms(int ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&left, &left) != 0)
		;
}

static void start_all(void)
{
	void *(*const run[])(void *) = { reader, locker, deep, spinner, deaf };
	pthread_t thread;

	if (pipe(nothing) != 0)
		_exit(4);
	pthread_mutex_lock(&held);
	for (size_t i = 0; i < sizeof(run) / sizeof(*run); i++)
		pthread_create(&thread, NULL, run[i], NULL);
	while (!spinning)
		sleep_ms(1);
	sleep_ms(200);
}

/* Where gdb looks at them. */
KEPT void all_there(void);
KEPT void all_there(void)
{
	NO_TAIL_CALL;
}

static int write_stacks(void)
{
	start_all();
	all_there();
	return wcm_threads_write(1) != WCM_OK;
}

static int write_nowhere(void)
{
	start_all();
	return wcm_threads_write(77) != WCM_ESYSTEM;
}

static void feed_for(int ms)
{
	for (; ms > 0; ms -= 200) {
		wcm_watchdog_feed();
		sleep_ms(200);
	}
}

static void say(const char *text)
{
	if (write(2, text, strlen(text)) < 0)
		_exit(5);
}

static int watch(void)
{
	if (wcm_watchdog_start(0) != WCM_EINVAL ||
	    wcm_watchdog_start(100) != WCM_OK ||
	    wcm_watchdog_start(1) != WCM_OK)
		return 1;
	feed_for(1600);
	say("hungry\n");
	sleep_ms(2400);
	say("fed\n");
	feed_for(1600);
	say("hungry\n");
	sleep_ms(1300);
	wcm_watchdog_stop();
	say("stopped\n");
	sleep_ms(1300);
	wcm_watchdog_stop();
	return 0;
}

/* The watch is over in a child, until it starts its own. */
static int watch_child(void)
{
	int status = 1;
	pid_t child;

	wcm_watchdog_start(1);
	child = fork();
	if (child == 0) {
		sleep_ms(1300);
		say("starts its own\n");
		wcm_watchdog_start(1);
		sleep_ms(1300);
		wcm_watchdog_stop();
		_exit(0);
	}
	for (int i = 0; i < 20; i++)
		feed_for(200);
	waitpid(child, &status, 0);
	wcm_watchdog_stop();
	return status;
}

static const struct {
	const char *name;
	int (*run)(void);
} modes[] = {
	{ "write_stacks", write_stacks },
	{ "write_nowhere", write_nowhere },
	{ "watch", watch },
	{ "watch_child", watch_child },
};

int main(int argc, char *argv[])
{
	init_function_table(argv[0]);
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run();
	return 3;
}
