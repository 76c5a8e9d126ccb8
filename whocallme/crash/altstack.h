/* SPDX-License-Identifier: MIT */
/* altstack.h - a stack to report a crash from when the thread's own is full. */
#ifndef WCM_CRASH_ALTSTACK_H
#define WCM_CRASH_ALTSTACK_H

#include <stdbool.h>

/* Give the calling thread an alternate signal stack (sigaltstack(2)) with a
 * guard page below it, unless it has one that is large enough.  False where the
 * system has no memory for it. */
bool wcm__altstack_arm(void);

#endif
