/* SPDX-License-Identifier: MIT */
/* section_layout.c - gives all addresses of an object file one numbering, relocatable files
 * included.
 */
#include "load/objects/raw_symbols.h"

static uint64_t lowest_code(const struct wcm_section_layout *layout)
{
	uint64_t lowest = UINT64_MAX;

	for (unsigned i = 0; i < layout->count; i++)
		if (layout->section[i].code && layout->section[i].vma < lowest)
			lowest = layout->section[i].vma;
	return lowest;
}

void wcm__section_layout_make(struct wcm_section_layout *layout)
{
	const uint64_t align = 16;
	uint64_t next = 0;

	layout->base = layout->relocatable ? 0 : lowest_code(layout);
	for (unsigned i = 0; i < layout->count; i++) {
		struct wcm_laid_section *section = &layout->section[i];

		section->offset =
			(uint32_t)(layout->relocatable
					   ? next
					   : section->vma - layout->base);
		next += (section->size + align) & ~(align - 1);
	}
}

/* The section that OFFSET was laid out in: they follow each other. */
static const struct wcm_laid_section *
section_at(const struct wcm_section_layout *layout, uint32_t offset)
{
	unsigned lo = 0, hi = layout->count;

	while (hi - lo > 1) {
		unsigned mid = lo + (hi - lo) / 2;

		if (layout->section[mid].offset <= offset)
			lo = mid;
		else
			hi = mid;
	}
	return &layout->section[lo];
}

uint64_t wcm__section_layout_address(const struct wcm_section_layout *layout,
				     uint32_t offset)
{
	const struct wcm_laid_section *section;

	if (!layout->relocatable)
		return layout->base + offset;
	section = section_at(layout, offset);
	return section->vma + (offset - section->offset);
}

bool wcm__section_layout_find(const struct wcm_section_layout *layout,
			      uint64_t address, uint32_t *offset)
{
	for (unsigned i = 0; i < layout->count; i++) {
		const struct wcm_laid_section *section = &layout->section[i];

		if (section->code && address >= section->vma &&
		    address - section->vma < section->size) {
			*offset = section->offset +
				  (uint32_t)(address - section->vma);
			return true;
		}
	}
	return false;
}
