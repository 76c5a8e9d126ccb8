/* SPDX-License-Identifier: MIT */
/* library_thread.h - starts threads of the library's own. */
#ifndef WCM_FRONT_LIBRARY_THREAD_H
#define WCM_FRONT_LIBRARY_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Start one that runs FUNCTION, with a stack of STACK_SIZE bytes where that is enough for the
 * program's thread-local variables, and with all signals blocked.  *THREAD is to be joined. */
bool wcm__library_thread_start(pthread_t *thread, void *(*function)(void *unused),
			       size_t stack_size);

#endif
