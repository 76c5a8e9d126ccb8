/* SPDX-License-Identifier: MIT */
/* times.c - a program whose calls of ask() each make a system call that can be told from others.
 *
 *	times		asks, waits, forks a child that asks, and runs itself in four ways
 *	times NUMBER	asks for that
 *	times threads	asks in four threads at once
 */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Each in a call of its own, so that no lines are folded. */
__attribute__((noinline)) static void ask(int number)
{
	char path[32];

	snprintf(path, sizeof(path), "/nowhere/%d", number);
	if (access(path, F_OK) == 0)
		abort();
}

static void await(pid_t child)
{
	int status = -1;

	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		abort();
}

static void run(char *self, int number)
{
	char text[16], *argv[] = { self, text, NULL };
	pid_t child;

	snprintf(text, sizeof(text), "%d", number);
	if (posix_spawn(&child, self, NULL, NULL, argv, environ) != 0)
		abort();
	await(child);
}

static void become(char *self, const char *number, char *const envp[])
{
	char *argv[] = { self, (char *)number, NULL };
	const pid_t child = fork();

	if (child == 0) {
		execve(self, argv, envp);
		_exit(1);
	}
	await(child);
}

static void run_by_shell(const char *self, int number)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s %d", self, number);
	if (system(text) != 0)
		abort();
}

static void fork_and_ask(int number)
{
	const pid_t child = fork();

	if (child == 0) {
		ask(number);
		_exit(0);
	}
	await(child);
}

static void *ask_often(void *number)
{
	for (int i = 0; i < 100; i++)
		ask(*(int *)number * 1000 + i);
	return NULL;
}

static void ask_in_threads(void)
{
	pthread_t thread[4];
	int number[4];

	for (int i = 0; i < 4; i++) {
		number[i] = i + 1;
		pthread_create(&thread[i], NULL, ask_often, &number[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char *argv[])
{
	const struct timespec a_while = { .tv_nsec = 20000000 };
	char *const nothing[] = { NULL };

	if (argc > 1 && strcmp(argv[1], "threads") == 0) {
		ask_in_threads();
	} else if (argc > 1) {
		ask(atoi(argv[1]));
	} else {
		ask(1);
		nanosleep(&a_while, NULL);
		ask(2);
		fork_and_ask(3);
		ask(4);
		run(argv[0], 5);
		ask(6);
		become(argv[0], "7", environ);
		ask(8);
		become(argv[0], "9", nothing);
		ask(10);
		run_by_shell(argv[0], 11);
		ask(12);
	}
	return 0;
}
