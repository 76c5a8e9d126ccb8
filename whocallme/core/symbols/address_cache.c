/* SPDX-License-Identifier: MIT */
/* address_cache.c (SAFE) - remembers a number for an address of code, for as long as its module is
 * there.
 *
 * The entries of an address are among the TRIES from where it hashes to: one for each
 * module that was there, as far as there is room.
 */
#include "core/symbols/address_cache.h"

#include "core/modules/module_id.h"

enum { TRIES = 8 };

static uint32_t hit(struct wcm_address_slot *slot, struct wcm_address_entry *entry,
		    uint64_t word)
{
	*slot = (struct wcm_address_slot){ entry, (uint32_t)(word >> 32) };
	return (uint32_t)word;
}

/* Claim ENTRY for ADDRESS if it is free.  KEY is the address that it had when it was read, 0 if it
 * was free.  Whether it is ADDRESS's now. */
static bool take(struct wcm_address_entry *entry, uintptr_t key, uintptr_t address)
{
	return key == address ||
	       __atomic_compare_exchange_n(&entry->address, &key, address, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
	       key == address;
}

uint32_t wcm__address_cache_search(const struct wcm_address_cache *cache,
				   uintptr_t address, struct wcm_address_slot *slot)
{
	const size_t last = ((size_t)1 << cache->bits) - 1;
	size_t at = wcm__address_cache_at(cache, address);
	const struct wcm_module_id *id = NULL;

	slot->entry = NULL;
	for (int i = 0; i < TRIES; i++, at = (at + 1) & last) {
		struct wcm_address_entry *entry = &cache->entry[at];
		const uintptr_t key = __atomic_load_n(&entry->address, __ATOMIC_RELAXED);
		uint64_t word = 0;

		if (key == address)
			word = __atomic_load_n(&entry->word, __ATOMIC_ACQUIRE);
		else if (key != 0)
			continue;
		if (wcm__address_cache_stays(word))
			return hit(slot, entry, word);
		if (!id && !(id = wcm__module_id(address)))
			return 0;
		if (word != 0 && word >> 32 == id->number)
			return hit(slot, entry, word);
		if (!take(entry, key, address))
			continue;
		if (!slot->entry || word == 0)
			*slot = (struct wcm_address_slot){ entry, id->number };
		if (word == 0)
			break;
	}
	return 0;
}
