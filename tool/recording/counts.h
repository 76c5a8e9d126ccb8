/* SPDX-License-Identifier: MIT */
/* counts.h - a number for each of many keys, of which nobody knows how large they are. */
#ifndef WCM_TOOL_COUNTS_H
#define WCM_TOOL_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* All zero at first. */
struct counts {
	struct count *slots;
	size_t slot_count, used;
};

/* That of KEY, which is 0 at first; until the next call.  NULL when out of memory, of a new
 * KEY alone. */
uint32_t *counts_of(struct counts *counts, uint64_t key);
void counts_free(struct counts *counts);

#endif
