/* SPDX-License-Identifier: MIT */
/* lock.c - one loader at a time. */
#include "load/lock.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void acquire(void)
{
	pthread_mutex_lock(&mutex);
}

static void release(void)
{
	pthread_mutex_unlock(&mutex);
}

static void guard_forks(void)
{
	pthread_atfork(acquire, release, release);
}

void wcm__lock(void)
{
	pthread_once(&once, guard_forks);
	acquire();
}

void wcm__unlock(void)
{
	release();
}
