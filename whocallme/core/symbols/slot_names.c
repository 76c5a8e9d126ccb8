/* SPDX-License-Identifier: MIT */
/* slot_names.c (SAFE) - names the library functions that words of a module lead to, and static
 * probes, whose words are in a place that is no module. */
#include "core/symbols/slot_names.h"

#include "core/modules/module.h"

static const struct wcm_slot_names *first;

void wcm__slot_names_add(struct wcm_slot_names *names)
{
	names->next = first;
	__atomic_store_n(&first, names, __ATOMIC_RELEASE);
}

const struct wcm_slot_names *wcm__slot_names_first(void)
{
	return __atomic_load_n(&first, __ATOMIC_ACQUIRE);
}

static const struct wcm_slot_name *find(const struct wcm_slot_names *names, uintptr_t address)
{
	size_t lo = 0, hi = names->count;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (names->slot[middle].at < address)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo < names->count && names->slot[lo].at == address ? &names->slot[lo] : NULL;
}

const struct wcm_slot_name *wcm__slot_find(uintptr_t address)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();
	const struct wcm_slot_name *found = NULL;

	for (; names && !found; names = names->next)
		found = find(names, address);
	return found;
}

const char *wcm__slot_name(uintptr_t address)
{
	const struct wcm_slot_name *found = wcm__slot_find(address);

	return found ? found->name : NULL;
}

const struct wcm_slot_names *wcm__slot_names_made_up(uintptr_t address)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();

	while (names && (!names->place || address < names->place->lo ||
			 address >= names->place->hi))
		names = names->next;
	return names;
}
