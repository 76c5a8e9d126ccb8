/* SPDX-License-Identifier: MIT */
/* thread_pointer.h (SAFE) - lends a thread whose thread pointer is broken a block of variables.
 *
 * Async-signal-safe.  Until a block is lent, nothing that is thread-local may be touched.
 */
#ifndef WCM_OS_THREAD_POINTER_H
#define WCM_OS_THREAD_POINTER_H

#include <stdbool.h>
#include <stdint.h>

/* Note where thread-local variables are, while the process is well. */
void wcm__thread_pointer_note(void);

enum wcm_thread_pointer {
	WCM_POINTER_HOLDS,
	WCM_POINTER_LENT, /* it was broken, and another is there until it is given back */
	WCM_POINTER_LOST, /* it is broken, and there is no other to be had */
};

/* See to it that the calling thread has variables.  To find out it may fault: SIGSEGV and
 * SIGBUS are unblocked, and wcm__arch_thread_pointer_failed() is asked by their handlers
 * first of all. */
enum wcm_thread_pointer wcm__thread_pointer_lend(void);

/* Whether the calling thread has one that was lent, and for which. */
bool wcm__thread_pointer_is_lent(void);
uintptr_t wcm__thread_pointer_broken(void);

/* Put the broken one back.  KEEP: what the variables hold is for the next time that one is
 * lent to the thread. */
void wcm__thread_pointer_give_back(bool keep);

/* Lend again where code of the program's, which had the BROKEN one, has left that. */
void wcm__thread_pointer_lend_again(uintptr_t broken);

#endif
