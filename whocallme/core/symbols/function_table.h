/* SPDX-License-Identifier: MIT */
/* function_table.h (SAFE) - a sorted table of addresses and names, as it is stored.
 *
 * Offsets from the module's base instead of pointers: 12 bytes a function, half
 * of what pointers would take, and nothing to relocate.  A directory of equal
 * buckets, about two functions each, takes a search to the few starts that
 * matter for 2 bytes more, and what it finds stands beside the start.
 */
#ifndef WCM_SYMBOLS_FUNCTION_TABLE_H
#define WCM_SYMBOLS_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where ranges nest, the inner one ends before the outer: the rest of the outer
 * is an entry of its own, whose size field holds the index of the outer entry
 * and this bit.  A label inside a function is such an entry too. */
#define WCM_ENTRY_PART_OF 0x80000000u

struct wcm_function_entry {
	uint32_t start; /* offset from the base, ascending */
	uint32_t size;  /* in bytes, or WCM_ENTRY_PART_OF | index */
	uint32_t name;  /* where the name starts in the string block */
};

/* A name in the string block is the name and a zero byte; behind that of a cold
 * part stands its suffix (".cold") and another zero byte. */
struct wcm_function_table {
	const struct wcm_function_entry *entry;
	const uint8_t *flags; /* of each entry: WCM_SYMBOL_* */
	const uint32_t *bucket; /* for each the number of starts below it, and
				 * at the end the number of all */
	const char *names;
	size_t names_size;
	uint32_t count;
	uint32_t buckets; /* 0: there is no directory */
	uint32_t shift;   /* an offset's bucket is offset >> shift, or the last */
	bool is_whole;    /* has the functions that are not exported, too */
};

struct wcm_found_function {
	const char *name;
	uint32_t start, size; /* offset from the base; bytes */
	uint8_t flags;        /* WCM_SYMBOL_* */
};

/* The function of TABLE that holds OFFSET.  False where none does. */
bool wcm__function_table_find(const struct wcm_function_table *table,
			      uint32_t offset,
			      struct wcm_found_function *found);

#endif
