/* SPDX-License-Identifier: MIT */
/* work_stack.h (SAFE) - calls a function on a stack of its own, where the caller's may be too
 * small. */
#ifndef WCM_OS_WORK_STACK_H
#define WCM_OS_WORK_STACK_H

/* Call WORK with ARGUMENT on a stack of some 200 KiB, signals being blocked; on the
 * caller's where there is no other.  Async-signal-safe. */
void wcm__work_stack_call(void (*work)(void *argument), void *argument);

#endif
