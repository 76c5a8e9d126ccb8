/* SPDX-License-Identifier: MIT */
/* address.h (SAFE) - finds the mapping that an address lies in, or those next to it. */
#ifndef WCM_REPORT_ADDRESS_H
#define WCM_REPORT_ADDRESS_H

#include <stdbool.h>

#include "core/os/maps.h"

/* So close to NULL a program means a member or an element of what is not there;
 * the kernel lets nothing be mapped here (vm.mmap_min_addr). */
enum { WCM_NEAR_NULL = 65536 };

enum wcm_location_kind {
	WCM_LOCATION_UNKNOWN,       /* mappings cannot be listed */
	WCM_LOCATION_NEAR_NULL,
	WCM_LOCATION_NOT_CANONICAL, /* no memory can have this address */
	WCM_LOCATION_MAPPED,
	WCM_LOCATION_GUARD,         /* closed memory just below some that is written */
	WCM_LOCATION_GAP,           /* nothing is mapped here */
};

struct wcm_location {
	uintptr_t address;
	enum wcm_location_kind kind;
	struct wcm_mapping at;           /* that holds it */
	struct wcm_mapping below, above; /* the next ones to it */
};

/* A fault, and the stack pointer at it. */
struct wcm_places {
	struct wcm_location fault, sp;
	uint64_t deadline; /* of wcm__clock_ns() */
	bool are_found;
};

/* Find both by their addresses, once.  Mappings are listed unless the fault's address tells by
 * itself that it is in none: with many of them, that takes long.  For one thread at a time. */
void wcm__places_find(struct wcm_places *places);

/* Where a fault's PLACE is in memory that can be written by the list of mappings, but
 * not read: the guard that MADV_GUARD_INSTALL marks inside of a mapping, as glibc does
 * for threads since 2.42. */
void wcm__location_find_marked_guard(struct wcm_location *location);

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
