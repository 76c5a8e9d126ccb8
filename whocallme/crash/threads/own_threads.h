/* SPDX-License-Identifier: MIT */
/* own_threads.h (SAFE) - the library's own threads, which are none of the program's. */
#ifndef WCM_THREADS_OWN_THREADS_H
#define WCM_THREADS_OWN_THREADS_H

#include <stdbool.h>

/* The calling thread is one from now on, or no longer.  IS_APART: it runs nothing but this
 * library, and no signal reaches it. */
void wcm__own_thread_begin(bool is_apart);
void wcm__own_thread_end(void);

/* Whether thread TID of this process is one. */
bool wcm__own_thread_is(int tid);

/* Whether it is one that is apart. */
bool wcm__own_thread_is_apart(int tid);

/* Whether the process has no other threads left: its first has ended, which the kernel keeps
 * for the process's sake.  *STATUS is how that ended, as of wait(2). */
bool wcm__own_threads_are_alone(int *status);

/* How many threads the process has, the library's and the program's; 0: /proc does not say. */
int wcm__own_threads_and_others(void);

#endif
