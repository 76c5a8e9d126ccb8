/* SPDX-License-Identifier: MIT */
/* section_layout.c - gives all addresses of an object file one numbering, relocatable files
 * included.
 */
#include "load/section_layout.h"

static uint64_t lowest_code(const struct wcm_placement *placement)
{
	uint64_t lowest = UINT64_MAX;

	for (unsigned i = 0; i < placement->count; i++)
		if (placement->section[i].code &&
		    placement->section[i].vma < lowest)
			lowest = placement->section[i].vma;
	return lowest;
}

void wcm__placement_lay_out(struct wcm_placement *placement)
{
	const uint64_t align = 16;
	uint64_t next = 0;

	placement->base = placement->relocatable ? 0 : lowest_code(placement);
	for (unsigned i = 0; i < placement->count; i++) {
		struct wcm_placed_section *section = &placement->section[i];

		section->place = (uint32_t)(placement->relocatable
						    ? next
						    : section->vma -
							      placement->base);
		next += (section->size + align) & ~(align - 1);
	}
}

/* The section that PLACE was laid out in: they follow each other. */
static const struct wcm_placed_section *
section_at(const struct wcm_placement *placement, uint32_t place)
{
	unsigned lo = 0, hi = placement->count;

	while (hi - lo > 1) {
		unsigned mid = lo + (hi - lo) / 2;

		if (placement->section[mid].place <= place)
			lo = mid;
		else
			hi = mid;
	}
	return &placement->section[lo];
}

uint64_t wcm__placement_address(const struct wcm_placement *placement,
				uint32_t place)
{
	const struct wcm_placed_section *section;

	if (!placement->relocatable)
		return placement->base + place;
	section = section_at(placement, place);
	return section->vma + (place - section->place);
}

bool wcm__placement_find(const struct wcm_placement *placement,
			 uint64_t address, uint32_t *place)
{
	for (unsigned i = 0; i < placement->count; i++) {
		const struct wcm_placed_section *section =
			&placement->section[i];

		if (section->code && address >= section->vma &&
		    address - section->vma < section->size) {
			*place = section->place +
				 (uint32_t)(address - section->vma);
			return true;
		}
	}
	return false;
}
