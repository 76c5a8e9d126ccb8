/* SPDX-License-Identifier: MIT */
/* recorded.c - calls to record, in the situation that the first argument names. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;
static volatile int sink;

static void leaf(void)
{
	sink++;
}

static int tree(int depth)
{
	if (depth == 0) {
		leaf();
		return 1;
	}
	return tree(depth - 1) + tree(depth - 1);
}

static void mutual_b(int depth);

static void mutual_a(int depth)
{
	leaf();
	if (depth)
		mutual_b(depth - 1);
}

static void mutual_b(int depth)
{
	if (depth)
		mutual_a(depth - 1);
	leaf();
}

static void *thread(void *argument)
{
	tree((int)(long)argument);
	return NULL;
}

static void threads(void)
{
	pthread_t all[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&all[i], NULL, thread, (void *)(i + 2));
	for (int i = 0; i < 3; i++)
		pthread_join(all[i], NULL);
}

static void handler(int number)
{
	(void)number;
	tree(1);
}

static void signals(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	leaf();
}

static void jump(int depth)
{
	if (depth == 0)
		longjmp(back, 1);
	jump(depth - 1);
}

static void jumps(void)
{
	if (setjmp(back) == 0)
		jump(3);
	leaf();
}

static void forks(void)
{
	if (fork() == 0) {
		tree(2);
		exit(0);
	}
	wait(NULL);
	leaf();
}

static void plugin(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*plugged)(void);

	if (!library)
		abort();
	*(void **)&plugged = dlsym(library, "plugged");
	plugged();
}

static void leave(int depth)
{
	/* uftrace writes what has begun when something ends. */
	leaf();
	if (depth == 0)
		_exit(0);
	leave(depth - 1);
}

static void many(long count)
{
	for (long i = 0; i < count; i++)
		tree(2);
}

int main(int argc, char *argv[])
{
	const char *situation = argc > 1 ? argv[1] : "";

	leaf();
	if (strcmp(situation, "tree") == 0)
		tree(4), mutual_a(5);
	else if (strcmp(situation, "threads") == 0)
		threads();
	else if (strcmp(situation, "signals") == 0)
		signals();
	else if (strcmp(situation, "jumps") == 0)
		jumps();
	else if (strcmp(situation, "forks") == 0)
		forks();
	else if (strcmp(situation, "plugin") == 0)
		plugin(argv[2]);
	else if (strcmp(situation, "leave") == 0)
		leave(3);
	else if (strcmp(situation, "many") == 0)
		many(atol(argv[2]));
	else if (strcmp(situation, "exec") == 0)
		execl(argv[0], argv[0], "tree", (char *)NULL);
	leaf();
	return 0;
}
