/* SPDX-License-Identifier: MIT */
/* address.c (SAFE) - finds the mapping that an address lies in, or those next to it.
 *
 * A guard page that the kernel marks inside of a mapping (MADV_GUARD_INSTALL) is not in
 * /proc/self/maps: it is found by which pages can be read.
 */
#include "crash/report/address.h"

#include <string.h>

#include "core/arch/arch.h"
#include "core/os/read.h"

/* No guard of a stack is larger. */
#define LARGEST_GUARD ((uintptr_t)1 << 20)

static void look_at(struct wcm_location *location, const struct wcm_mapping *mapping)
{
	if (mapping->hi <= location->address)
		location->below = *mapping;
	else if (mapping->lo <= location->address)
		location->at = *mapping;
	else if (location->above.hi == 0)
		location->above = *mapping;
}

static bool look(const struct wcm_mapping *mapping, void *data)
{
	struct wcm_places *places = data;

	look_at(&places->fault, mapping);
	look_at(&places->sp, mapping);
	return places->fault.above.hi == 0 || places->sp.above.hi == 0;
}

static bool is_guard(const struct wcm_location *location)
{
	return wcm__mapping_is_closed(&location->at) && !location->at.path[0] &&
	       location->above.lo == location->at.hi &&
	       wcm__mapping_is_writable(&location->above);
}

static bool is_readable(uintptr_t page)
{
	return wcm__count_readable_pages(page, page + WCM_PAGE) == 1;
}

void wcm__location_find_marked_guard(struct wcm_location *location)
{
	const uintptr_t page = location->address & ~(WCM_PAGE - 1);
	uintptr_t lo = page, hi = page;

	if (location->kind != WCM_LOCATION_MAPPED || location->at.path[0] == '/' ||
	    !wcm__mapping_is_writable(&location->at))
		return;
	while (hi < location->at.hi && hi - page < LARGEST_GUARD && !is_readable(hi))
		hi += WCM_PAGE;
	if (hi == page || hi == location->at.hi || !is_readable(hi))
		return;
	while (lo > location->at.lo && page - lo < LARGEST_GUARD &&
	       !is_readable(lo - WCM_PAGE))
		lo -= WCM_PAGE;
	location->kind = WCM_LOCATION_GUARD;
	location->above = location->at;
	location->above.lo = hi;
	location->at.lo = lo;
	location->at.hi = hi;
	memcpy(location->at.permissions, "---p", sizeof(location->at.permissions));
}

static enum wcm_location_kind kind_of(const struct wcm_location *location, bool listed)
{
	if (wcm__is_near_null(location->address))
		return WCM_LOCATION_NEAR_NULL;
	if (!wcm__arch_is_canonical(location->address))
		return WCM_LOCATION_NOT_CANONICAL;
	if (location->at.hi)
		return is_guard(location) ? WCM_LOCATION_GUARD : WCM_LOCATION_MAPPED;
	return listed ? WCM_LOCATION_GAP : WCM_LOCATION_UNKNOWN;
}

void wcm__places_find(struct wcm_places *places)
{
	bool listed = false;

	if (places->are_found)
		return;
	if (!wcm__is_near_null(places->fault.address) &&
	    wcm__arch_is_canonical(places->fault.address))
		listed = wcm__maps_visit(places->deadline, look, places);
	places->fault.kind = kind_of(&places->fault, listed);
	places->sp.kind = kind_of(&places->sp, listed);
	places->are_found = true;
}
