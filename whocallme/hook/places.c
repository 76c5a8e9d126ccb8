/* SPDX-License-Identifier: MIT */
/* places.c - what was at an address, for when its module is gone?
 *
 * A module whose functions are loaded is known for ever.  Of another, which came later,
 * all that is known is mapped with it, and is copied.
 */
#include "hook/places.h"

#include <string.h>
#include <sys/mman.h>

#include "syscall.h"
#include "whocallme/symbol.h"

enum { PIECE = 16 * 1024 };

static void *take(struct wcm_places *places, size_t size)
{
	long mapped;

	size = (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
	if (size > PIECE)
		return NULL;
	if (!places->memory || size > PIECE - places->used) {
		mapped = wcm__syscall(SYS_mmap, 0, PIECE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mapped < 0 && mapped > -4096)
			return NULL;
		places->memory = (char *)mapped;
		places->used = 0;
	}
	places->used += size;
	return places->memory + places->used - size;
}

const struct wcm_place *wcm__places_note(struct wcm_places *places, uintptr_t func)
{
	struct wcm_symbol symbol;
	const bool named = wcm_symbol_peek(func, &symbol) == WCM_OK;
	size_t module_size, name_size;
	struct wcm_place *place;

	if (!symbol.module || (named && !(symbol.flags & WCM_SYMBOL_DYNSYM)))
		return NULL;
	module_size = strlen(symbol.module) + 1;
	name_size = named ? strlen(symbol.name) + 1 : 0;
	place = take(places, sizeof(*place) + module_size + name_size);
	if (!place)
		return NULL;
	memcpy(place->text, symbol.module, module_size);
	memcpy(place->text + module_size, symbol.name ? symbol.name : "", name_size);
	place->module = place->text;
	place->name = named ? place->text + module_size : NULL;
	place->offset = symbol.module_offset;
	return place;
}
