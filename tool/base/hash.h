/* SPDX-License-Identifier: MIT */
/* hash.h - hashes bytes, plain or keyed, and finds by hash what was seen before. */
#ifndef WCM_TOOL_HASH_H
#define WCM_TOOL_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

/* The hash of what SO_FAR is the hash of and SIZE more BYTES. */
uint64_t hash_more(uint64_t so_far, const void *bytes, size_t size);

/* A hash of BYTES for a table; the caller masks it.  A random key of this process makes it
 * hard to craft input whose names all collide.  It differs from run to run. */
uint64_t hash_slot(const void *bytes, size_t size);

/* A number for each of many things: a hash table, all zero at first. */
struct numbers {
	struct number_slot {
		uint64_t key;
		size_t number;
		bool used;
	} *slots;
	size_t slot_count, used;
};

/* Whether what has NUMBER, which is not 0, in SET is WANTED: asked where the keys are the same. */
typedef bool numbers_same(const void *set, size_t number, const void *wanted);

/* The number of WANTED, whose KEY is a hash of it, or is all of it, and IS then NULL.  It is 0 at
 * first; the place is good until the next call.  NULL when out of memory, of a new one alone. */
size_t *numbers_at(struct numbers *numbers, uint64_t key, numbers_same *is, const void *set,
		   const void *wanted);
void numbers_free(struct numbers *numbers);

/* md5.c: the MD5 of bytes (RFC 1321), by which DWARF 5 knows a source file. */

enum { MD5_SIZE = 16 };

void md5_of(const void *bytes, size_t size, uint8_t sum[MD5_SIZE]);

#endif
