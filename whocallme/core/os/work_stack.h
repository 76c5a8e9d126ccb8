/* SPDX-License-Identifier: MIT */
/* roomy.h - work that needs more stack than a traced program may have left. */
#ifndef WCM_HOOK_ROOMY_H
#define WCM_HOOK_ROOMY_H

/* Call WORK with ARGUMENT on a stack of some 200 KiB, signals being blocked; on the
 * caller's where there is no other.  Async-signal-safe. */
void wcm__roomy_call(void (*work)(void *argument), void *argument);

#endif
