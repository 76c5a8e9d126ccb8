/* SPDX-License-Identifier: MIT */
/* attempt.h (SAFE) - work that may fault, and is given up where it does.
 *
 * A report is made from data that may be damaged: names, and the tables of libc and the
 * dynamic linker, which only their own code can read.  Work on those is an attempt.  If it
 * faults, the handler gives it up, and the caller goes on without its result.
 */
#ifndef WCM_OS_ATTEMPT_H
#define WCM_OS_ATTEMPT_H

#include <stdbool.h>

struct wcm_attempt;

/* That of this thread; NULL: there is none. */
extern __thread struct wcm_attempt *wcm__attempt_current
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Whether this thread is in one, and its end. */
static inline bool wcm__attempt_is_running(void)
{
	return wcm__attempt_current;
}

_Noreturn void wcm__attempt_give_up(void);

/* Call WORK with ARGUMENT.  False where it was given up: what it holds is not given back,
 * and of what it has written, as much as it was is there.  Attempts nest. */
bool wcm__attempt(void (*work)(void *argument), void *argument);

/* The same within an attempt.  Outside of one, in a process that is well, WORK is only
 * called: its fault is the program's to hear of. */
static inline bool wcm__attempt_within(void (*work)(void *argument), void *argument)
{
	if (wcm__attempt_is_running())
		return wcm__attempt(work, argument);
	work(argument);
	return true;
}

#endif
