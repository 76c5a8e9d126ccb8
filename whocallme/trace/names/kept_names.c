/* SPDX-License-Identifier: MIT */
/* places.c - what was at an address, for when its module is gone?
 *
 * A module that stays is known for ever.  Of another all that is known is copied, and
 * what it begins with: headers, and mostly its build-id.
 */
#include "hook/places.h"

#include <string.h>

#include "hook/memory.h"
#include "hook/opened.h"
#include "symbols/modules.h"

enum { PIECE = 16 * 1024 };

static void *take(struct wcm_places *places, size_t size)
{
	char *piece;

	size = (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
	if (size > PIECE)
		return NULL;
	if (!places->memory || size > PIECE - places->used) {
		piece = wcm__map(PIECE);
		if (!piece)
			return NULL;
		places->memory = piece;
		places->used = 0;
	}
	places->used += size;
	return places->memory + places->used - size;
}

/* Whether FUNC will be found in a table whenever it is asked for. */
static bool stays(uintptr_t func)
{
	enum wcm_module_state state;
	const struct wcm_known_module *module = wcm__modules_find(func, &state);

	return module && module->permanent && wcm__module_table(module);
}

bool wcm__place_is_in(const struct wcm_place_head *head, uintptr_t func)
{
	uint64_t difference = 0;
	uintptr_t lo, hi;

	if (!wcm__modules_find_place(func, &lo, &hi) || lo != head->lo ||
	    hi - lo != head->size)
		return false;
	for (int i = 0; i < WCM_PLACE_WORDS; i++)
		difference |= head->word[i] ^ ((const uint64_t *)lo)[i];
	return difference == 0;
}

static const struct wcm_place_head *find_head(struct wcm_places *places, uintptr_t func)
{
	struct wcm_place_head *head;
	uintptr_t lo, hi;

	for (const struct wcm_place_head *known = places->head; known;
	     known = known->next)
		if (wcm__place_is_in(known, func))
			return known;
	if (!wcm__modules_find_place(func, &lo, &hi) ||
	    !(head = take(places, sizeof(*head))))
		return NULL;
	head->lo = lo;
	head->size = hi - lo;
	memcpy(head->word, (const void *)lo, sizeof(head->word));
	head->next = places->head;
	return places->head = head;
}

const struct wcm_place *wcm__places_note(struct wcm_places *places, uintptr_t func)
{
	struct wcm_symbol symbol;
	const bool named = wcm__opened_peek(func, &symbol) == WCM_OK;
	size_t module_size, name_size;
	struct wcm_place *place;

	if (!symbol.module || (named && stays(func)))
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
	place->func = func;
	place->head = find_head(places, func);
	return place;
}

/* A caller in the same module has been looked at when it was called. */
bool wcm__place_is_there(const struct wcm_place *place, uintptr_t from, uintptr_t func)
{
	const struct wcm_place_head *head = place->head;

	return !head || from - head->lo < head->size || wcm__place_is_in(head, func);
}

static bool texts_are_equal(const char *a, const char *b)
{
	const size_t size = strlen(a) + 1;

	return size == strlen(b) + 1 && memcmp(a, b, size) == 0;
}

bool wcm__places_are_equal(const struct wcm_place *a, const struct wcm_place *b)
{
	return a->offset == b->offset && texts_are_equal(a->module, b->module) &&
	       !a->name == !b->name && (!a->name || texts_are_equal(a->name, b->name));
}
