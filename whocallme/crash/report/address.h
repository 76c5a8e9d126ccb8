/* SPDX-License-Identifier: MIT */
/* address.h - what does an address lie in? */
#ifndef WCM_CRASH_ADDRESS_H
#define WCM_CRASH_ADDRESS_H

#include <stddef.h>

#include "crash/maps.h"

/* So close to NULL a program means a member or an element of what is not there;
 * the kernel lets nothing be mapped here (vm.mmap_min_addr). */
enum { WCM_NEAR_NULL = 65536 };

enum wcm_place_kind {
	WCM_PLACE_UNKNOWN,       /* mappings cannot be listed */
	WCM_PLACE_NEAR_NULL,
	WCM_PLACE_NOT_CANONICAL, /* no memory can have this address */
	WCM_PLACE_MAPPED,
	WCM_PLACE_GUARD,         /* closed memory just below some that is written */
	WCM_PLACE_GAP,           /* nothing is mapped here */
};

struct wcm_place {
	uintptr_t address;
	enum wcm_place_kind kind;
	struct wcm_mapping at;           /* that holds it */
	struct wcm_mapping below, above; /* the next ones to it */
};

/* Find the place of each of COUNT PLACES, whose address is set.  For one thread at
 * a time; DEADLINE is of wcm__clock_ns(). */
void wcm__places_find(struct wcm_place *places, size_t count, uint64_t deadline);

/* Where a fault's PLACE is in memory that can be written by the list of mappings, but
 * not read: the guard that MADV_GUARD_INSTALL marks inside of a mapping, as glibc does
 * for threads since 2.42. */
void wcm__place_find_marked_guard(struct wcm_place *place);

/* The bytes from NULL up to ADDRESS, negative below it; near NULL only. */
static inline intptr_t wcm__bytes_past_null(uintptr_t address)
{
	return (intptr_t)address;
}

static inline bool wcm__is_near_null(uintptr_t address)
{
	const intptr_t past = wcm__bytes_past_null(address);

	return past > -WCM_NEAR_NULL && past < WCM_NEAR_NULL;
}

#endif
