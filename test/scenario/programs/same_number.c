/* SPDX-License-Identifier: MIT */
/* same_number.c - two tasks of one number, one after the other, half a second apart, each of which
 * works for 10 ms in calls that do not return: "process" or "thread"; "again process" from a
 * program that another one has become; "vfork": the second is a child of that, whose one call
 * fails.  Needs the right to choose the number. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long number[2];
static int is_vfork;

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

__attribute__((noinline)) static void *thread(void *which)
{
	work(*(int *)which);
	if (is_vfork)
		syscall(SYS_exit, 0);
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
	const int is_thread = strcmp(argv[argc - 1], "thread") == 0;

	is_vfork = strcmp(argv[argc - 1], "vfork") == 0;

	if (argc > 2)
		execl("/proc/self/exe", argv[0], argv[2], NULL);
	run(0, is_thread || is_vfork);
	usleep(500000);
	choose(number[0]);
	run(1, is_thread);
	printf("%ld\n", number[0]);
	return number[0] == number[1] ? 0 : 75; /* another task was quicker */
}
