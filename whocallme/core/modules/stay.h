/* SPDX-License-Identifier: MIT */
/* stay.h (SAFE) - keeps the module that this library is in from being unloaded. */
#ifndef WCM_MODULES_STAY_H
#define WCM_MODULES_STAY_H

/* From now on dlclose(3) does not unload it: a handler, a thread or changed code may lead into it.
 * Not in a signal handler.  Idempotent. */
void wcm__stay(void);

#endif
