/* SPDX-License-Identifier: MIT */
/* hash.c - hashes bytes: FNV-1a, plain, or keyed for hash tables. */
#include "base/hash.h"

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
