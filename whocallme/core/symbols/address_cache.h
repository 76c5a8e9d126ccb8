/* SPDX-License-Identifier: MIT */
/* address_cache.h (SAFE) - remembers a number for an address of code, for as long as its module is
 * there.
 *
 * Any thread may look and remember, signal handlers too.  An entry is its address's for
 * good.  The number and that of the module are one word, stored at once, so that a reader
 * needs no lock.  What was remembered of a module that is gone counts again when it is back.
 */
#ifndef WCM_SYMBOLS_ADDRESS_CACHE_H
#define WCM_SYMBOLS_ADDRESS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_address_entry {
	uintptr_t address; /* 0: free */
	uint64_t word;     /* module's number, value; 0: nothing is remembered yet */
};

struct wcm_address_cache {
	struct wcm_address_entry *entry; /* 1 << BITS */
	unsigned bits;
};

/* Where a value is remembered: of the module with this number. */
struct wcm_address_slot {
	struct wcm_address_entry *entry; /* NULL: it cannot be */
	uint32_t module;
};

/* wcm__address_cache_find() beyond the first look. */
uint32_t wcm__address_cache_search(const struct wcm_address_cache *cache,
				   uintptr_t address, struct wcm_address_slot *slot);

/* Where the entries of ADDRESS begin. */
static inline size_t wcm__address_cache_at(const struct wcm_address_cache *cache,
					   uintptr_t address)
{
	return (size_t)((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >>
			(64 - cache->bits));
}

/* Whether WORD is of a module that cannot be unloaded. */
static inline bool wcm__address_cache_stays(uint64_t word)
{
	return word != 0 && word <= UINT32_MAX;
}

/* What is remembered of ADDRESS, code that is being run; 0: nothing.  The slot is where a
 * value of it goes. */
static inline uint32_t wcm__address_cache_find(const struct wcm_address_cache *cache,
					       uintptr_t address,
					       struct wcm_address_slot *slot)
{
	struct wcm_address_entry *entry =
		&cache->entry[wcm__address_cache_at(cache, address)];
	const uintptr_t key = __atomic_load_n(&entry->address, __ATOMIC_RELAXED);
	const uint64_t word = __atomic_load_n(&entry->word, __ATOMIC_ACQUIRE);

	if (__builtin_expect(key != address || !wcm__address_cache_stays(word), 0))
		return wcm__address_cache_search(cache, address, slot);
	*slot = (struct wcm_address_slot){ entry, 0 };
	return (uint32_t)word;
}

/* Remember VALUE, which is not 0. */
static inline void wcm__address_cache_put(const struct wcm_address_slot *slot,
					  uint32_t value)
{
	__atomic_store_n(&slot->entry->word, (uint64_t)slot->module << 32 | value,
			 __ATOMIC_RELEASE);
}

#endif
