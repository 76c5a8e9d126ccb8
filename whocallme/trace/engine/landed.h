/* SPDX-License-Identifier: MIT */
/* landed.h (SAFE) - tells whether an exception has left an inlined function. */
#ifndef WCM_FRAME_LANDED_H
#define WCM_FRAME_LANDED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether exceptions can leave the inlined function whose hook returns to CALL without
 * leaving the frame.  Not known of code that can be unloaded: false. */
bool wcm__landed_can(uintptr_t call);

/* Which exceptions the calling thread throws or handles now: a number that differs where
 * they do. */
uintptr_t wcm__landed_handled(void);

/* Whether the call that returns to PC, in the same frame as CALL, of which
 * wcm__landed_can() is true, is not made within the inlined function; HANDLED is
 * wcm__landed_handled() of when that was called. */
bool wcm__landed_outside(uintptr_t call, uintptr_t pc, uintptr_t handled);

#endif
