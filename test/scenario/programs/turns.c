/* SPDX-License-Identifier: MIT */
/* turns.c - a program that runs others while it is traced, and becomes one of them.
 *
 * turns PROGRAM: calls before() often, has a child call in_child() often and become
 * PROGRAM, calls after() often, and becomes PROGRAM itself.
 * turns LIBRARY LIBRARY: calls run() of each, in the place where the other one was. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OFTEN = 300 };

static volatile int calls;

static void before(void)
{
	calls++;
}

static void in_child(void)
{
	calls++;
}

static void after(void)
{
	calls++;
}

static void work(void (*call)(void))
{
	for (int i = 0; i < OFTEN; i++)
		call();
}

static int become(char *program)
{
	char *arguments[] = { program, NULL };

	execv(program, arguments);
	return 126;
}

/* The place of the library is printed. */
static int visit(const char *library)
{
	void *opened = dlopen(library, RTLD_NOW);
	void (*run)(void) = opened ? (void (*)(void))dlsym(opened, "run") : NULL;
	Dl_info place;

	if (!run || !dladdr((void *)run, &place))
		return 1;
	printf("%p\n", place.dli_fbase);
	run();
	return dlclose(opened);
}

int main(int argc, char *argv[])
{
	pid_t child;

	if (argc > 2)
		return visit(argv[1]) || visit(argv[2]);
	work(before);
	child = fork();
	if (child == 0) {
		work(in_child);
		return become(argv[1]);
	}
	waitpid(child, NULL, 0);
	work(after);
	return become(argv[1]);
}
