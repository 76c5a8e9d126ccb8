/* SPDX-License-Identifier: MIT */
/* watchdog_rest.h - the watchdog ends for a moment in which the program is to have one thread. */
#ifndef WCM_FRONT_WATCHDOG_REST_H
#define WCM_FRONT_WATCHDOG_REST_H

/* How many threads it has in this process. */
int wcm__watchdog_count(void);

/* End it, and begin it again, if that can be. */
void wcm__watchdog_rest(void);
void wcm__watchdog_go_on(void);

#endif
