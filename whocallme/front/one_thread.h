/* SPDX-License-Identifier: MIT */
/* one_thread.h - ends the library's own threads before a call of the program's that needs a
 * process of one thread, or that changes the rights of threads, and starts them again after it.
 *
 * If the first returns true, the same thread calls the second after the program's call; if it
 * returns false, nobody does: there are no such threads, or this one has ended them already.  The
 * second starts them with the rights of whoever calls it.  A thread that does not end within a
 * second is not waited for.  Both may change errno.
 */
#ifndef WCM_FRONT_ONE_THREAD_H
#define WCM_FRONT_ONE_THREAD_H

#include <stdbool.h>

bool wcm__own_threads_rest(void);
void wcm__own_threads_go_on(void);

#endif
