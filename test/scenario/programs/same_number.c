/* SPDX-License-Identifier: MIT */
/* same_number.c - two tasks of one number, one after the other, half a second apart, each of which
 * works for 10 ms in calls that do not return: "process" or "thread"; "again process" from a
 * program that another one has become; "vforkN": a thread that ends within N calls more, and a
 * child of vfork(2), whose one call fails; "forkN": that, and a child.  Needs the right to choose
 * the number. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long number[2];
static int is_vfork, depth = -1;

__attribute__((noinline)) static void work(int which)
{
	number[which] = syscall(SYS_gettid);
	usleep(10000);
}

__attribute__((noinline)) static void child(int which)
{
	work(which);
	_exit(0);
}

__attribute__((noinline)) static void end_within(int calls)
{
	if (calls > 0)
		end_within(calls - 1);
	work(0);
	syscall(SYS_exit, 0);
}

__attribute__((noinline)) static void *thread(void *which)
{
	if (depth >= 0)
		end_within(depth);
	work(*(int *)which);
	pthread_exit(NULL);
}

/* Have the next task get the NUMBER. */
__attribute__((no_instrument_function)) static void choose(long number)
{
	const int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);

	if (fd < 0 || dprintf(fd, "%ld", number - 1) < 0)
		exit(77);
	close(fd);
}

__attribute__((no_instrument_function)) static void run(int which, int is_thread)
{
	pthread_t other;

	if (is_thread) {
		pthread_create(&other, NULL, thread, &which);
		pthread_join(other, NULL);
		return;
	}
	number[which] = is_vfork ? vfork() : fork();
	if (number[which] == 0 && is_vfork) {
		execl("/nonexistent/same", "same", NULL);
		_exit(0);
	}
	if (number[which] == 0)
		child(which);
	waitpid((pid_t)number[which], NULL, 0);
}

int main(int argc, char **argv)
{
	const char *kind = argv[argc - 1];
	const int is_thread = strcmp(kind, "thread") == 0;

	is_vfork = *kind == 'v';
	if (strncmp(kind + is_vfork, "fork", 4) == 0)
		depth = atoi(kind + is_vfork + 4);
	if (argc > 2)
		execl("/proc/self/exe", argv[0], argv[2], NULL);
	run(0, is_thread || depth >= 0);
	usleep(500000);
	choose(number[0]);
	run(1, is_thread);
	printf("%ld\n", number[0]);
	return number[0] == number[1] ? 0 : 75; /* another task was quicker */
}
