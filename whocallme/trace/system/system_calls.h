/* SPDX-License-Identifier: MIT */
/* system_calls.h (SAFE) - traces the system calls of every thread. */
#ifndef WCM_SYSTEM_SYSTEM_CALLS_H
#define WCM_SYSTEM_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Trace those that GLOBS, which stay, choose by name (wcm__globs_choose()), in all threads; NULL:
 * none, but signals are kept (dispatch_signals.h).  Returns 0, or a negated errno: -ENOSYS where
 * this CPU's are not known, -EINVAL where the kernel dispatches none, -ENOENT where no call has
 * such a name, -ESRCH where a thread, *TID, or another, 0, is not traced.  No trace is open. */
long wcm__system_calls_on(const char *globs, uint64_t *seen, int *tid);

/* Which of GLOBS, a bit each, have some call that was traced since.  Signal-safe. */
uint64_t wcm__system_calls_traced(const char *globs);

/* Threads find out with their next call.  Signal-safe. */
void wcm__system_calls_off(void);

/* Whether the calling thread's are traced now.  Signal-safe. */
bool wcm__system_calls_are_on(void);

/* Whether what fork(3) calls is traced in the calling thread. */
bool wcm__system_calls_tell_of_fork(void);

/* What the calling thread does from here until it resumes is the library's own.  They nest. */
void wcm__system_calls_pause(void);
void wcm__system_calls_resume(void);

/* The calling thread's handler is the library's, and its return is no call of the program's. */
void wcm__system_calls_hide_return(void);

/* MASK, or, if the calling thread's calls come by SIGSYS, what it may block of it. */
uint64_t wcm__system_calls_mask(uint64_t mask);

/* What is called where a thread's calls come no longer while they are on; or NULL. */
void wcm__system_calls_at_loss(void (*lose)(void));

/* What is called first by a call that ends the process, and by one that runs another program. */
void wcm__system_calls_at_end(void (*finish)(void), void (*exec)(void));

/* What is called before a call that may change what the process may, and, where that has answered
 * true, after it. */
void wcm__system_calls_at_rights(bool (*before)(long number, const long *argument),
				 void (*after)(void));

#endif
