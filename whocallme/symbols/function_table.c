/* SPDX-License-Identifier: MIT */
/* function_table.c - which function holds this offset? */
#include "symbols/function_table.h"

/* The index of the last start that is not above OFFSET, or 0.  The comparison
 * only selects a number, so that there is no branch to mispredict: random
 * look-ups cost the same as sorted ones. */
static uint32_t last_not_above(const uint32_t *start, uint32_t count,
			       uint32_t offset)
{
	const uint32_t *base = start;

	while (count > 1) {
		uint32_t half = count / 2;

		base += (base[half] <= offset) * half;
		count -= half;
	}
	return (uint32_t)(base - start);
}

/* The same for TABLE: what lies in OFFSET's bucket, and the start before it. */
static uint32_t last_in_bucket(const struct wcm_function_table *table,
			       uint32_t offset)
{
	uint32_t at = offset >> table->shift, lo;

	if (at >= table->buckets)
		at = table->buckets - 1;
	lo = table->bucket[at];
	lo -= lo > 0;
	return lo + last_not_above(table->start + lo, table->bucket[at + 1] - lo,
				   offset);
}

bool wcm__function_table_find(const struct wcm_function_table *table,
			      uint32_t offset,
			      struct wcm_found_function *found)
{
	const struct wcm_function_entry *entry;
	uint32_t index;

	if (table->count == 0)
		return false;
	index = last_in_bucket(table, offset);
	if (table->entry[index].size & WCM_ENTRY_PART_OF)
		index = table->entry[index].size & ~WCM_ENTRY_PART_OF;
	entry = &table->entry[index];
	if (offset < table->start[index] ||
	    offset - table->start[index] >= entry->size)
		return false;
	*found = (struct wcm_found_function){
		.name = table->names + entry->name,
		.start = table->start[index],
		.size = entry->size,
		.flags = wcm__function_table_flags(table, entry->name),
	};
	return true;
}
