/* SPDX-License-Identifier: MIT */
/* fde_list.c (SAFE) - lists the frame descriptions of a table that no linker has listed. */
#include "core/cfi/fde.h"

static void add(struct wcm_fde_list *list, uintptr_t start, uintptr_t fde)
{
	if (list->count > 0 && list->pair[list->count - 1].start > start)
		list->is_unsorted = true;
	list->pair[list->count++] = (struct wcm_fde_pair){ start, fde };
}

uintptr_t wcm__fde_list(struct wcm_fde_list *list, const struct wcm_unwind_table *table)
{
	uintptr_t at = table->frames, entry = at;
	struct wcm_fde fde;

	for (; list->entries > 0 && wcm__fde_next(&fde, &at, table); entry = at) {
		list->entries--;
		if (fde.start < list->lo || fde.end > list->hi || fde.start >= fde.end)
			continue;
		add(list, fde.start, entry);
		if (fde.end > list->code_end)
			list->code_end = fde.end;
	}
	return at;
}

static void sift_down(struct wcm_fde_pair *pair, size_t at, size_t count)
{
	const struct wcm_fde_pair moved = pair[at];
	size_t child;

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && pair[child + 1].start > pair[child].start)
			child++;
		if (pair[child].start <= moved.start)
			break;
		pair[at] = pair[child];
	}
	pair[at] = moved;
}

/* By a heap: without recursion, and quick in whatever order they are. */
void wcm__fde_list_sort(struct wcm_fde_list *list)
{
	struct wcm_fde_pair *pair = list->pair;

	if (!list->is_unsorted)
		return;
	for (size_t i = list->count / 2; i-- > 0;)
		sift_down(pair, i, list->count);
	for (size_t i = list->count; i-- > 1;) {
		const struct wcm_fde_pair last = pair[i];

		pair[i] = pair[0];
		pair[0] = last;
		sift_down(pair, 0, i);
	}
	list->is_unsorted = false;
}
