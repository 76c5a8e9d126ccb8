/* SPDX-License-Identifier: MIT */
/* one_thread.c - makes the calls that the kernel grants to a process of one thread alone, as each
 * argument says, and says what came of each.  Built with -DLINKED, it starts what the library has
 * threads for.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LINKED
#include <whocallme.h>
#endif

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static void called(void) {}

static void calls(int count)
{
	for (int i = 0; i < count; i++)
		called();
}

static void *stay(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static int begin_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, stay, NULL);
}

/* The user namespace of a child. */
static int join_user(int kind)
{
	int ready[2], fd, result;
	char path[64], byte;
	pid_t child;

	if (pipe(ready) != 0)
		return -2;
	child = fork();
	if (child == 0) {
		close(ready[0]);
		if (unshare(CLONE_NEWUSER) == 0 && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		return -3;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)child);
	fd = open(path, O_RDONLY);
	result = setns(fd, kind);
	close(fd);
	close(ready[0]);
	byte = (char)errno;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	errno = byte;
	return result;
}

static int join(const char *path, int kind)
{
	const int fd = open(path, O_RDONLY);
	const int result = setns(fd, kind);

	close(fd);
	return result;
}

static int in_vfork(void)
{
	int status = 0;
	const pid_t child = vfork();

	if (child == 0)
		_exit(unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
	waitpid(child, &status, 0);
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static int make(const char *what)
{
	if (strcmp(what, "user") == 0)
		return unshare(CLONE_NEWUSER);
	if (strcmp(what, "user-and-pid") == 0)
		return unshare(CLONE_NEWUSER | CLONE_NEWPID);
	if (strcmp(what, "memory") == 0)
		return unshare(CLONE_VM | CLONE_SIGHAND | CLONE_THREAD);
	if (strcmp(what, "handlers") == 0)
		return unshare(CLONE_SIGHAND);
	if (strcmp(what, "unknown") == 0)
		return unshare(1);
	if (strcmp(what, "join-user") == 0)
		return join_user(CLONE_NEWUSER);
	if (strcmp(what, "join-any") == 0)
		return join_user(0);
	if (strcmp(what, "join-own") == 0)
		return join("/proc/self/ns/user", 0);
	if (strcmp(what, "join-mounts") == 0)
		return join("/proc/self/ns/mnt", CLONE_NEWNS);
	if (strcmp(what, "join-time") == 0)
		return join("/proc/self/ns/time", CLONE_NEWTIME);
	if (strcmp(what, "vfork") == 0)
		return in_vfork();
	if (strcmp(what, "thread") == 0)
		return begin_thread();
	return -2;
}

int main(int argc, char *argv[])
{
#ifdef LINKED
	if (wcm_agent_start() != WCM_OK || wcm_watchdog_start(60) != WCM_OK)
		return 1;
#endif
	for (int i = 1; i < argc; i++) {
		calls(5);
		errno = 0;
		printf("%s %d", argv[i], make(argv[i]));
		printf(" %d\n", errno);
	}
	calls(5);
	return 0;
}
