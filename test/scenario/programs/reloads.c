/* SPDX-License-Identifier: MIT */
/* reloads.c - stacks through libraries that take each other's place, held against
 * glibc's backtrace(3).
 *
 *	reloads LOADS BUILD...
 *
 * Builds of one library, whose frames differ in size, are opened in turn by one name,
 * LOADS times, called, and closed.  Meanwhile a thread captures its own stack all the
 * time, and a timer that of whoever runs, 20,000 times a second.  Prints what it saw. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
#include <whocallme.h>

enum { MOST = 64, DEPTH = 20 };

typedef void plug(void (*leaf)(void));

static unsigned long wrong, taken, by_timer, in_place;
static volatile int is_over;

/* Below, both have frames of their own. */
static void compare(void)
{
	struct wcm_frame frames[MOST];
	void *other[MOST];
	size_t count = wcm_stack_capture(frames, MOST, 0, NULL);
	size_t others = (size_t)backtrace(other, MOST);

	__atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
	if (count != others)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	for (size_t i = 1; count == others && i < count; i++)
		if (frames[i].pc != (uintptr_t)other[i]) {
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
			break;
		}
}

__attribute__((noinline)) static int dive(int depth)
{
	int deep = 0;

	if (depth == 0)
		compare();
	else
		deep = dive(depth - 1) + 1;
	__asm__ volatile("" : "+r"(deep)); /* no loop, and no jump */
	return deep;
}

static void *walk(void *unused)
{
	while (!is_over)
		if (dive(DEPTH) != DEPTH)
			abort();
	return unused;
}

static void on_timer(int number)
{
	struct wcm_frame frames[MOST];

	(void)number;
	by_timer += wcm_stack_capture(frames, MOST, 0, NULL) > 1;
}

static void load(const char *build)
{
	static uintptr_t before;
	void *library, *found;
	plug *run;

	if (unlink("current.so") != 0 || link(build, "current.so") != 0)
		exit(3);
	library = dlopen("./current.so", RTLD_NOW);
	found = library ? dlsym(library, "plug") : NULL;
	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	in_place += (uintptr_t)found == before;
	before = (uintptr_t)found;
	*(void **)&run = found;
	for (int i = 0; i < 3; i++)
		run(compare);
	dlclose(library);
}

/* In KiB. */
static long resident(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*s %ld", &pages) != 1)
		exit(3);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char *argv[])
{
	const struct itimerval rate = { { 0, 50 }, { 0, 50 } }, none = { { 0, 0 }, { 0, 0 } };
	const int loads = argc > 2 ? atoi(argv[1]) : 0;
	pthread_t walker;
	long before = 0;

	init_function_table(argv[0]);
	dive(DEPTH);
	signal(SIGPROF, on_timer);
	if (pthread_create(&walker, NULL, walk, NULL) != 0)
		return 3;
	setitimer(ITIMER_PROF, &rate, NULL);
	for (int i = 0; i < loads; i++) {
		load(argv[2 + i % (argc - 2)]);
		if (i == loads / 10)
			before = resident();
	}
	printf("grown by %ld KiB\n", resident() - before);
	is_over = 1;
	pthread_join(walker, NULL);
	setitimer(ITIMER_PROF, &none, NULL);
	printf("wrong: %lu of %lu\n", wrong, taken);
	printf("timer: %s\n", by_timer > 0 ? "yes" : "no");
	printf("in place: %s\n", in_place > (unsigned)loads / 2 ? "yes" : "no");
	return 0;
}
