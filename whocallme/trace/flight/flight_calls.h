/* SPDX-License-Identifier: MIT */
/* flight_calls.h (SAFE) - tells of the calls that rings hold. */
#ifndef WCM_FLIGHT_CALLS_H
#define WCM_FLIGHT_CALLS_H

#include "crash/threads/last_calls.h"

/* For wcm__last_calls_keep(). */
extern const struct wcm_last_calls_keeper wcm__flight_keeper
	__attribute__((visibility("hidden")));

/* How to find the function of a sled, by where its call returns to; 0: it is not known. */
void wcm__flight_find_by(uintptr_t (*find)(uintptr_t pc));

/* Relate the counter to the clock: times are told by how far both have gone since. */
void wcm__flight_times_begin(void);

#endif
