/* SPDX-License-Identifier: MIT */
/* function_table.c (SAFE) - finds the function of a table that holds an offset.
 *
 * The directory gives the bucket of an offset, and a search of the few starts in it the
 * function.
 */
#include "core/symbols/function_table.h"

/* STEP entries on from AT if that start is in range and not above OFFSET.  The
 * comparisons only select a number, so that there is no branch to mispredict:
 * random look-ups cost the same as sorted ones. */
static uint32_t step_on(const struct wcm_function_entry *entry, uint32_t at,
			uint32_t step, uint32_t end, uint32_t offset)
{
	uint32_t next = at + step < end ? at + step : at;

	return at + (next - at) * (entry[next].start <= offset);
}

/* Narrow [*AT, *END) to OFFSET's bucket and the start before it. */
static void enter_bucket(const struct wcm_function_table *table,
			 uint32_t offset, uint32_t *at, uint32_t *end)
{
	uint32_t bucket = offset >> table->shift;

	if (bucket >= table->buckets)
		bucket = table->buckets - 1;
	*at = table->bucket[bucket];
	*at -= *at > 0;
	*end = table->bucket[bucket + 1];
}

/* The index of the last start that is not above OFFSET; where all are, of the
 * first.  Three steps cover all but crowded buckets. */
static uint32_t last_not_above(const struct wcm_function_table *table,
			       uint32_t offset)
{
	enum { FEW = 8 };
	uint32_t at = 0, end = table->count;

	if (table->buckets > 0)
		enter_bucket(table, offset, &at, &end);
	for (uint32_t left = end - at; left > FEW; left -= left / 2)
		at = step_on(table->entry, at, left / 2, end, offset);
	at = step_on(table->entry, at, 4, end, offset);
	at = step_on(table->entry, at, 2, end, offset);
	return step_on(table->entry, at, 1, end, offset);
}

bool wcm__function_table_find(const struct wcm_function_table *table,
			      uint32_t offset,
			      struct wcm_found_function *found)
{
	const struct wcm_function_entry *entry;
	uint32_t index;

	if (table->count == 0)
		return false;
	index = last_not_above(table, offset);
	if (table->entry[index].size & WCM_ENTRY_PART_OF)
		index = table->entry[index].size & ~WCM_ENTRY_PART_OF;
	entry = &table->entry[index];
	if (offset < entry->start || offset - entry->start >= entry->size)
		return false;
	*found = (struct wcm_found_function){
		.name = table->names + entry->name,
		.start = entry->start,
		.size = entry->size,
		.flags = table->flags[index],
	};
	return true;
}
