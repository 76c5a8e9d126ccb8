/* SPDX-License-Identifier: MIT */
/* flight_copy.h (SAFE) - copies the calls that a ring holds while its thread goes on. */
#ifndef WCM_FLIGHT_COPY_H
#define WCM_FLIGHT_COPY_H

#include "trace/flight/flight_ring.h"

enum { WCM_FLIGHT_SPARE = 32 };

/* Those with the indexes from FROM to END, each at its index & MASK. */
struct wcm_flight_copy {
	struct wcm_flight_entry *entry;
	uint32_t mask, from, end;
	struct wcm_flight_entry spare[WCM_FLIGHT_SPARE]; /* where there is no memory */
};

/* Copy the latest calls of RING; wcm__flight_copy_end() gives the memory back.  Both are
 * async-signal-safe. */
void wcm__flight_copy(struct wcm_flight_copy *copy, const struct wcm_flight_ring *ring);
void wcm__flight_copy_end(struct wcm_flight_copy *copy);

#endif
