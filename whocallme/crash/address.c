/* SPDX-License-Identifier: MIT */
/* address.c - what does an address lie in? */
#include "crash/address.h"

#include <string.h>

#include "arch/arch.h"
#include "unwind/read.h"

/* No guard of a stack is larger. */
#define LARGEST_GUARD ((uintptr_t)1 << 20)

struct search {
	struct wcm_place *places;
	size_t count;
};

static void look_at(struct wcm_place *place, const struct wcm_mapping *mapping)
{
	if (mapping->hi <= place->address)
		place->below = *mapping;
	else if (mapping->lo <= place->address)
		place->at = *mapping;
	else if (place->above.hi == 0)
		place->above = *mapping;
}

static bool look(const struct wcm_mapping *mapping, void *data)
{
	const struct search *search = data;
	bool found_all = true;

	for (size_t i = 0; i < search->count; i++) {
		look_at(&search->places[i], mapping);
		if (search->places[i].above.hi == 0)
			found_all = false;
	}
	return !found_all;
}

static bool is_guard(const struct wcm_place *place)
{
	return wcm__mapping_is_closed(&place->at) && !place->at.path[0] &&
	       place->above.lo == place->at.hi &&
	       wcm__mapping_is_writable(&place->above);
}

static bool is_readable(uintptr_t page)
{
	return wcm__count_readable_pages(page, page + WCM_PAGE) == 1;
}

void wcm__place_find_marked_guard(struct wcm_place *place)
{
	const uintptr_t page = place->address & ~(WCM_PAGE - 1);
	uintptr_t lo = page, hi = page;

	if (place->kind != WCM_PLACE_MAPPED || place->at.path[0] == '/' ||
	    !wcm__mapping_is_writable(&place->at))
		return;
	while (hi < place->at.hi && hi - page < LARGEST_GUARD && !is_readable(hi))
		hi += WCM_PAGE;
	if (hi == page || hi == place->at.hi || !is_readable(hi))
		return;
	while (lo > place->at.lo && page - lo < LARGEST_GUARD &&
	       !is_readable(lo - WCM_PAGE))
		lo -= WCM_PAGE;
	place->kind = WCM_PLACE_GUARD;
	place->above = place->at;
	place->above.lo = hi;
	place->at.lo = lo;
	place->at.hi = hi;
	memcpy(place->at.permissions, "---p", sizeof(place->at.permissions));
}

static enum wcm_place_kind kind_of(const struct wcm_place *place, bool listed)
{
	if (wcm__is_near_null(place->address))
		return WCM_PLACE_NEAR_NULL;
	if (!wcm__arch_is_canonical(place->address))
		return WCM_PLACE_NOT_CANONICAL;
	if (place->at.hi)
		return is_guard(place) ? WCM_PLACE_GUARD : WCM_PLACE_MAPPED;
	return listed ? WCM_PLACE_GAP : WCM_PLACE_UNKNOWN;
}

void wcm__places_find(struct wcm_place *places, size_t count, uint64_t deadline)
{
	struct search search = { places, count };
	bool listed;

	for (size_t i = 0; i < count; i++)
		places[i].at.hi = places[i].below.hi = places[i].above.hi = 0;
	listed = wcm__maps_visit(deadline, look, &search);
	for (size_t i = 0; i < count; i++)
		places[i].kind = kind_of(&places[i], listed);
}
