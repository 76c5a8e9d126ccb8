/* SPDX-License-Identifier: MIT */
/* hash.c - hashes bytes, plain or keyed, and finds by hash what was seen before.
 *
 * FNV-1a; tables are of open addressing, and never more than half full. */
#include "base/hash.h"

#include <stdlib.h>
#include <sys/random.h>

uint64_t hash_more(uint64_t so_far, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		so_far = (so_far ^ at[i]) * 0x100000001b3;
	return so_far;
}

uint64_t hash_slot(const void *bytes, size_t size)
{
	static uint64_t key;
	uint64_t hash;

	if (key == 0 && getrandom(&key, sizeof(key), GRND_NONBLOCK) != sizeof(key))
		key = (uintptr_t)&key;
	hash = hash_more(key, bytes, size);
	hash = (hash ^ hash >> 32) * (key | 1);
	return hash ^ hash >> 32;
}

static struct number_slot *slot_of(const struct numbers *numbers, uint64_t key, numbers_same *is,
				   const void *set, const void *wanted)
{
	const size_t mask = numbers->slot_count - 1;
	size_t at = hash_slot(&key, sizeof(key)) & mask;

	for (; numbers->slots[at].used; at = (at + 1) & mask)
		if (numbers->slots[at].key == key &&
		    (!is || (numbers->slots[at].number != 0 &&
			     is(set, numbers->slots[at].number, wanted))))
			break;
	return &numbers->slots[at];
}

static bool nothing_is(const void *set, size_t number, const void *wanted)
{
	(void)set, (void)number, (void)wanted;
	return false;
}

static bool make_room(struct numbers *numbers)
{
	enum { FIRST = 16 };
	const struct numbers old = *numbers;

	numbers->slot_count = old.slot_count ? 2 * old.slot_count : FIRST;
	numbers->slots = calloc(numbers->slot_count, sizeof(*numbers->slots));
	if (!numbers->slots) {
		*numbers = old;
		return false;
	}
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].used)
			*slot_of(numbers, old.slots[i].key, nothing_is, NULL, NULL) = old.slots[i];
	free(old.slots);
	return true;
}

size_t *numbers_at(struct numbers *numbers, uint64_t key, numbers_same *is, const void *set,
		   const void *wanted)
{
	struct number_slot *slot =
		numbers->slot_count ? slot_of(numbers, key, is, set, wanted) : NULL;

	if (slot && slot->used)
		return &slot->number;
	if (2 * numbers->used >= numbers->slot_count) {
		if (!make_room(numbers))
			return NULL;
		slot = slot_of(numbers, key, nothing_is, NULL, NULL);
	}
	numbers->used++;
	*slot = (struct number_slot){ .key = key, .used = true };
	return &slot->number;
}

void numbers_free(struct numbers *numbers)
{
	free(numbers->slots);
	*numbers = (struct numbers){ 0 };
}
