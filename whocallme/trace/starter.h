/* SPDX-License-Identifier: MIT */
/* starter.h - one thread at a time starts, flushes or finishes a trace. */
#ifndef WCM_TRACE_STARTER_H
#define WCM_TRACE_STARTER_H

/* Wait until no other thread does.  This one may: exit(3) in a handler that has
 * interrupted it.  SIGPIPE and SIGXFSZ are blocked until it is unlocked. */
void wcm__starter_lock(void);

void wcm__starter_unlock(void);

#endif
