/* SPDX-License-Identifier: MIT */
/* words.c - dies in the way that its argument names; -DAWARE: it has installed the
 * crash report itself. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef AWARE
#include <whocallme.h>
#endif

#define KEPT __attribute__((noinline))

static char **arguments;
static int count;
static volatile int *volatile nowhere;

KEPT static void null_write(void)
{
	*nowhere = 1;
	__asm__ volatile("");
}

/* As setproctitle() of nginx, postgres and redis: one argument, the rest zeros. */
KEPT static void titled(void)
{
	char *last = arguments[count - 1];
	size_t size = (size_t)(last + strlen(last) + 1 - arguments[0]);

	memset(arguments[0], 0, size);
	memcpy(arguments[0], "my title", sizeof("my title"));
	null_write();
}

KEPT static int overflow(int depth)
{
	volatile char frame[4096];

	frame[0] = (char)depth;
	return overflow(depth + 1) + frame[0];
}

static void overflows(void)
{
	overflow(0);
}

static void *block_and_wait(void *argument)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_setname_np(pthread_self(), "deaf");
	pthread_barrier_wait(argument);
	for (;;)
		pause();
	return NULL;
}

KEPT static void with_deaf(void)
{
	pthread_barrier_t both;
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, block_and_wait, &both);
	pthread_barrier_wait(&both);
	usleep(50000);
	null_write();
}

/* As redis: a handler of the program's own ends it by the same signal. */
KEPT static void on_segv(int signal_number)
{
	signal(signal_number, SIG_DFL);
	kill(getpid(), signal_number);
	__asm__ volatile("");
}

static void handled(void)
{
	struct sigaction action = { .sa_handler = on_segv,
				    .sa_flags = SA_NODEFER | SA_RESETHAND };

	sigaction(SIGSEGV, &action, NULL);
	null_write();
}

KEPT static void waits(void)
{
	puts("waiting");
	fflush(stdout);
	for (;;)
		pause();
}

static void asserts(void)
{
	assert(count == 1 && "a \"quoted\" word");
}

static void frees_twice(void)
{
	char *volatile memory = malloc(2000);
	char *volatile same = memory;

	free(memory);
	free(same);
}

/* It needs -fstack-protector-all. */
KEPT static void smashes(void)
{
	char text[16];
	char *volatile at = text;

	for (int i = 0; i < 64; i++)
		at[i] = 0x55;
	__asm__ volatile("" : : "r"(text) : "memory");
}

/* It needs _FORTIFY_SOURCE. */
KEPT static void overruns(void)
{
	char text[4];

	strcpy(text, arguments[1]);
	puts(text);
}

static void aborts(void)
{
	abort();
}

static void raises(void)
{
	raise(SIGABRT);
}

static const struct {
	const char *name;
	void (*die)(void);
} deaths[] = {
	{ "asserts", asserts },	      { "frees_twice", frees_twice },
	{ "smashes", smashes },	      { "overruns", overruns },
	{ "aborts", aborts },	      { "raises", raises },
	{ "null_write", null_write }, { "titled", titled },
	{ "overflows", overflows },   { "with_deaf", with_deaf },
	{ "handled", handled },	      { "waits", waits },
};

int main(int argc, char *argv[])
{
	arguments = argv;
	count = argc;
#ifdef AWARE
	struct wcm_crash_options options = {
		.flags = WCM_CRASH_THREADS_ON_QUIT | WCM_CRASH_NO_LINES |
			 (getenv("JSON") ? WCM_CRASH_JSON : 0u)
	};

	if (wcm_crash_install(&options) != WCM_OK)
		return 3;
#endif
	for (size_t i = 0; argc > 1 && i < sizeof(deaths) / sizeof(*deaths); i++)
		if (strcmp(deaths[i].name, argv[1]) == 0)
			deaths[i].die();
	return 2;
}
