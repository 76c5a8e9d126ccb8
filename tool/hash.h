/* SPDX-License-Identifier: MIT */
/* hash.h - what are many bytes as one number?  FNV-1a, 64 bits. */
#ifndef WCM_TOOL_HASH_H
#define WCM_TOOL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

/* The hash of what SO_FAR is the hash of and SIZE more BYTES. */
uint64_t hash_more(uint64_t so_far, const void *bytes, size_t size);

#endif
