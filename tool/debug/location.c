/* SPDX-License-Identifier: MIT */
/* location.c - a source location. */
#include "debug/location.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct location *locations_add(struct locations *locations)
{
	struct location *grown = grow(locations->location, locations->count, &locations->room,
				   sizeof(*grown));

	if (!grown)
		return NULL;
	locations->location = grown;
	return memset(&locations->location[locations->count++], 0,
		      sizeof(*locations->location));
}

void locations_free(struct locations *locations)
{
	free(locations->location);
	memset(locations, 0, sizeof(*locations));
}
