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

/* one_thread.c: ends the library's own threads before a call of the program's that needs a
 * process of one thread, or that changes the rights of threads, and starts them again after it.
 * If the first returns true, the same thread calls the second after the program's call; if it
 * returns false, nobody does: there are no such threads, or this one has ended them already.
 * The second starts them with the rights of whoever calls it.  A thread that does not end within
 * a second is not waited for.  Both may change errno. */

bool wcm__own_threads_rest(void);
void wcm__own_threads_go_on(void);

#endif
