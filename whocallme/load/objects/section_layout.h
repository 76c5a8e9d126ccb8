/* SPDX-License-Identifier: MIT */
/* section_layout.h - gives all addresses of an object file one numbering, relocatable files
 * included.
 *
 * An offset is an address less the file's base.  In a relocatable file every
 * section starts at address 0, so its sections are laid out one after the other.
 */
#ifndef WCM_OBJECTS_SECTION_LAYOUT_H
#define WCM_OBJECTS_SECTION_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_laid_section {
	uint64_t vma, size;
	uint32_t offset;
	bool code;
};

struct wcm_section_layout {
	uint64_t base; /* the address of offset 0 */
	bool relocatable;
	unsigned count;
	struct wcm_laid_section *section; /* in the file's order */
};

/* Give every section its offset; vma, size and code are filled in. */
void wcm__section_layout_make(struct wcm_section_layout *layout);

/* The address at OFFSET, as the file's own symbol table numbers it. */
uint64_t wcm__section_layout_address(const struct wcm_section_layout *layout,
				     uint32_t offset);

/* The offset of ADDRESS, if it is code: in a relocatable file, that of the first
 * section that is long enough. */
bool wcm__section_layout_find(const struct wcm_section_layout *layout,
			      uint64_t address, uint32_t *offset);

#endif
