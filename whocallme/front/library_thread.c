/* SPDX-License-Identifier: MIT */
/* library_thread.c - starts threads of the library's own. */
#include "front/library_thread.h"

#include <signal.h>

#include "core/modules/stay.h"

/* Of the usual size where STACK_SIZE is 0. */
static int create(pthread_t *thread, void *(*function)(void *unused), size_t stack_size)
{
	pthread_attr_t attributes;
	sigset_t all, old;
	int error;

	pthread_attr_init(&attributes);
	if (stack_size > 0)
		pthread_attr_setstacksize(&attributes, stack_size);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread, &attributes, function, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	return error;
}

/* A program's thread-local variables may be larger than the stack. */
bool wcm__library_thread_start(pthread_t *thread, void *(*function)(void *unused),
			       size_t stack_size)
{
	wcm__stay();
	return create(thread, function, stack_size) == 0 || create(thread, function, 0) == 0;
}
