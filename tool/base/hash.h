/* SPDX-License-Identifier: MIT */
/* hash.h - hashes bytes: FNV-1a, plain, or keyed for hash tables. */
#ifndef WCM_TOOL_HASH_H
#define WCM_TOOL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

/* The hash of what SO_FAR is the hash of and SIZE more BYTES. */
uint64_t hash_more(uint64_t so_far, const void *bytes, size_t size);

/* A hash of BYTES for a table; the caller masks it.  A random key of this process makes it
 * hard to craft input whose names all collide.  It differs from run to run. */
uint64_t hash_slot(const void *bytes, size_t size);

#endif
