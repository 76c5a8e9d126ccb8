/* SPDX-License-Identifier: MIT */
/* filtered.c - calls to choose from: of two source files, of two threads, of libraries
 * that come and go, short ones and long ones. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

void elsewhere(void);
void leaf(void);
void slow(void);
void foo(void);
void bar(void);
void work(void);

void leaf(void)
{
}

void slow(void)
{
	const struct timespec time = { .tv_nsec = 20000000 };

	nanosleep(&time, NULL);
	leaf();
}

void foo(void)
{
	leaf();
}

void bar(void)
{
	foo();
	leaf();
	slow();
}

static void tree(void)
{
	foo();
	bar();
	leaf();
	elsewhere();
}

void work(void)
{
	foo();
}

static void *run(void *name)
{
	prctl(PR_SET_NAME, name);
	work();
	return NULL;
}

static void threads(void)
{
	static char names[][8] = { "worker", "idler" };
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, run, names[i]);
		pthread_join(thread, NULL);
	}
}

/* Open each library in turn at what may be the same place, and call its first. */
static void plugins(char *paths[])
{
	for (; *paths; paths++) {
		void *library = dlopen(*paths, RTLD_NOW);
		void (*call)(void);

		if (!library)
			exit(2);
		for (int i = 0; i < 2; i++) {
			*(void **)&call = dlsym(library, "plugin_run");
			call();
		}
		dlclose(library);
	}
}

int main(int argc, char *argv[])
{
	if (argc < 2)
		tree();
	else if (strcmp(argv[1], "threads") == 0)
		threads();
	else
		plugins(argv + 1);
	return 0;
}
