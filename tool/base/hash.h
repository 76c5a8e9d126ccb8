/* SPDX-License-Identifier: MIT */
/* hash.h - what are many bytes as one number?  FNV-1a, 64 bits. */
#ifndef WCM_TOOL_HASH_H
#define WCM_TOOL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

/* The hash of what SO_FAR is the hash of and SIZE more BYTES. */
uint64_t hash_more(uint64_t so_far, const void *bytes, size_t size);

/* Where SIZE BYTES belong in a table, less what it has no slots for.  Of a key that is
 * this process's alone: no input is made to have all of its names in one place. */
uint64_t hash_slot(const void *bytes, size_t size);

#endif
