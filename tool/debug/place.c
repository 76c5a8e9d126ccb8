/* SPDX-License-Identifier: MIT */
/* place.c - a place in the source. */
#include "debug/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct place *places_add(struct places *places)
{
	struct place *grown = grow(places->place, places->count, &places->room,
				   sizeof(*grown));

	if (!grown)
		return NULL;
	places->place = grown;
	return memset(&places->place[places->count++], 0,
		      sizeof(*places->place));
}

void places_free(struct places *places)
{
	free(places->place);
	memset(places, 0, sizeof(*places));
}
