/* SPDX-License-Identifier: MIT */
/* counts.c - a number for each of many keys, in a hash table. */
#include "recording/counts.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"

struct count {
	uint64_t key;
	uint32_t number;
	bool used;
};

static struct count *slot_of(const struct counts *counts, uint64_t key)
{
	const size_t mask = counts->slot_count - 1;
	size_t at = hash_slot(&key, sizeof(key)) & mask;

	while (counts->slots[at].used && counts->slots[at].key != key)
		at = (at + 1) & mask;
	return &counts->slots[at];
}

static bool make_room(struct counts *counts)
{
	enum { FIRST = 16 };
	const struct counts old = *counts;

	counts->slot_count = old.slot_count ? 2 * old.slot_count : FIRST;
	counts->slots = calloc(counts->slot_count, sizeof(*counts->slots));
	if (!counts->slots) {
		*counts = old;
		return false;
	}
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].used)
			*slot_of(counts, old.slots[i].key) = old.slots[i];
	free(old.slots);
	return true;
}

uint32_t *counts_of(struct counts *counts, uint64_t key)
{
	struct count *slot = counts->slot_count ? slot_of(counts, key) : NULL;

	if (slot && slot->used)
		return &slot->number;
	if (2 * counts->used >= counts->slot_count) {
		if (!make_room(counts))
			return NULL;
		slot = slot_of(counts, key);
	}
	counts->used++;
	*slot = (struct count){ .key = key, .used = true };
	return &slot->number;
}

void counts_free(struct counts *counts)
{
	free(counts->slots);
	*counts = (struct counts){ 0 };
}
