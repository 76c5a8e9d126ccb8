/* SPDX-License-Identifier: MIT */
/* lock.h - lets one thread at a time load; BFD is not thread-safe. */
#ifndef WCM_LOAD_LOCK_H
#define WCM_LOAD_LOCK_H

/* Held over every use of BFD and every change of the published list; not
 * recursive.  A fork waits for it, so that the child never inherits it held. */
void wcm__lock(void);
void wcm__unlock(void);

#endif
