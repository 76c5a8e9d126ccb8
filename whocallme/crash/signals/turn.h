/* SPDX-License-Identifier: MIT */
/* turn.h (SAFE) - gives the threads that crash their turns to report, one at a time. */
#ifndef WCM_SIGNALS_TURN_H
#define WCM_SIGNALS_TURN_H

#include <stdbool.h>
#include <stdint.h>

/* Ready the turns; before the first signal can come.  Idempotent. */
void wcm__turn_prepare(void);

/* Whether the calling thread has the turn. */
bool wcm__turn_is_mine(void);

/* Whether this process merely borrows its memory: the child of vfork(2), which
 * leaves nothing changed. */
bool wcm__turn_is_borrowed(void);

/* Wait for the turn until DEADLINE, of wcm__clock_ns().  False where another
 * thread of the process still has it then. */
bool wcm__turn_take(uint64_t deadline);
void wcm__turn_give_back(void);

/* Whether there is still a report to be had for a crash that need not be the
 * process's last. */
bool wcm__turn_count(void);

/* Whether another thread of this process has it. */
bool wcm__turn_is_anothers(void);

#endif
