/* SPDX-License-Identifier: MIT */
/* hold_threads.h (SAFE) - has all other threads stand still, at places that are known. */
#ifndef WCM_CODE_HOLD_THREADS_H
#define WCM_CODE_HOLD_THREADS_H

#include <stdbool.h>

/* The second of libc's own: set*id(2) of glibc, cancellation of musl. */
enum { WCM_HOLD_SIGNAL = 33 };

/* Hold every thread but the calling one, each in a signal handler that has called ADJUST
 * with its ucontext_t.  False: some thread does not stop within a second, *TID, or they
 * cannot be listed or asked, *TID being 0; none is held then.  Until the release nothing may
 * be waited for that another thread has.  One thread at a time: another waits
 * a second for its turn.  Signal-safe. */
bool wcm__threads_hold(void (*adjust)(void *ucontext), int *tid);
void wcm__threads_release(void);

#endif
