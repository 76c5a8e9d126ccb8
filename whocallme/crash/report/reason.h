/* SPDX-License-Identifier: MIT */
/* reason.h (SAFE) - finds out why abort() was called: a failed assertion, libc's own checks,
 * an exception.
 */
#ifndef WCM_REPORT_REASON_H
#define WCM_REPORT_REASON_H

#include <stdbool.h>

struct wcm_reason {
	const char *text; /* in words, of any bytes; NULL: unknown */
	const char *type; /* of an uncaught exception, as people write it; NULL: none */
	const char *what; /* its message; NULL: unknown */
	bool is_constant; /* the type's name is what the program was built with */
};

/* Find out, by the stack that begins where UCONTEXT says and by what libraries leave
 * behind.  False where abort(3) is not on top of it.  For one thread at a time. */
bool wcm__reason_find(struct wcm_reason *reason, const void *ucontext);

/* Whether abort(3) is. */
bool wcm__reason_is_abort(const void *ucontext);

#endif
