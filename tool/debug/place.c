/* SPDX-License-Identifier: MIT */
/* place.c - a place in the source. */
#include "debug/place.h"

#include <stdlib.h>
#include <string.h>

struct place *places_add(struct places *places)
{
	if (places->count == places->room) {
		size_t room = places->room ? 2 * places->room : 8;
		struct place *grown =
			reallocarray(places->place, room, sizeof(*grown));

		if (!grown)
			return NULL;
		places->place = grown;
		places->room = room;
	}
	return memset(&places->place[places->count++], 0,
		      sizeof(*places->place));
}

void places_free(struct places *places)
{
	free(places->place);
	memset(places, 0, sizeof(*places));
}
