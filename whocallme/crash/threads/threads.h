/* SPDX-License-Identifier: MIT */
/* threads.h (SAFE) - captures the stacks of all threads but the calling one. */
#ifndef WCM_THREADS_THREADS_H
#define WCM_THREADS_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "crash/threads/thread_stack.h"

/* Ready the signal by which threads are asked; idempotent.  False where there is
 * none to be had.  The signal may be another than before, if the program has taken
 * it: wcm__threads_visit() does this, too. */
bool wcm__threads_prepare(void);

/* Give an alternate stack to every thread that there is now, and from now on to
 * those that are asked for their stack and, where pthread_create(3) is interposed,
 * to those that are created. */
void wcm__threads_arm(void);

/* Ask every other thread of the process for its stack and pass it to VISIT, which
 * ends the visits by returning false, in the order of their ids.  No thread is waited
 * for longer than a tenth of a second, none beyond DEADLINE (of wcm__clock_ns());
 * what did not answer is visited as such.  False where threads cannot be listed. */
typedef bool wcm_thread_visitor(const struct wcm_thread *thread, void *data);
bool wcm__threads_visit(uint64_t deadline, wcm_thread_visitor *visit, void *data);

#endif
