/* SPDX-License-Identifier: MIT */
/* early.c - a library whose constructor makes threads, before the program has installed
 * anything. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "deaths.h"

enum { HUGE_GUARD = 32 * 1024 * 1024 };

static sem_t go;
static int made;
static void (*death)(void);

/* An emulator may say that it has marked the guard of a thread's stack (MADV_GUARD_INSTALL, as
 * glibc 2.42 has it), and have not. */
static void close_guard(void)
{
	pthread_attr_t attributes;
	size_t size, guard;
	void *stack;

	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		_exit(5);
	pthread_attr_getstack(&attributes, &stack, &size);
	pthread_attr_getguardsize(&attributes, &guard);
	if (mprotect((char *)stack - guard, guard, PROT_NONE) != 0)
		_exit(5);
	pthread_attr_destroy(&attributes);
}

void begin_victim(void)
{
	pthread_setname_np(pthread_self(), "victim");
	if (getenv("CRASH_CLOSE_GUARD"))
		close_guard();
}

void *early_thread(void *argument)
{
	begin_victim();
	while (sem_wait(&go) != 0)
		;
	death();
	return argument;
}

static void make(int count, int huge_guard)
{
	pthread_attr_t attributes;

	sem_init(&go, 0, 0);
	pthread_attr_init(&attributes);
	if (huge_guard)
		pthread_attr_setguardsize(&attributes, HUGE_GUARD);
	for (; made < count; made++) {
		pthread_t thread;

		if (pthread_create(&thread, &attributes, early_thread, NULL) != 0)
			_exit(5);
	}
}

/* glibc hands main's arguments to constructors. */
__attribute__((constructor)) static void start(int argc, char *argv[])
{
	if (argc < 4 || strcmp(argv[2], "before") != 0)
		return;
	make(atoi(argv[3]), strcmp(argv[1], "huge_frame") == 0);
}

void early_threads_run(void (*run)(void))
{
	death = run;
	for (int i = 0; i < made; i++)
		sem_post(&go);
}
