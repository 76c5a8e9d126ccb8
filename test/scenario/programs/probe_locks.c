/* SPDX-License-Identifier: MIT */
/* probe_locks.c - a mutex with a probe in it, as a libc's may have, which forks take, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <whocallme/probe.h>

static int (*lock)(pthread_mutex_t *);

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	WCM_PROBE(locks, entry, mutex);
	return lock ? lock(mutex) : 0;
}

int main(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	int status, sum = 0;

	lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	for (int i = 0; i < 5; i++) {
		const pid_t child = fork();

		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		if (child == 0)
			_exit(i);
		waitpid(child, &status, 0);
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 100;
	}
	printf("%d\n", sum);
	return 0;
}
