/* SPDX-License-Identifier: MIT */
/* section_layout.h - gives all addresses of an object file one numbering, relocatable files
 * included.
 *
 * A place is an address less the file's base.  In a relocatable file every
 * section starts at address 0, so its sections are laid out one after the other.
 */
#ifndef WCM_LOAD_SECTION_LAYOUT_H
#define WCM_LOAD_SECTION_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_placed_section {
	uint64_t vma, size;
	uint32_t place;
	bool code;
};

struct wcm_placement {
	uint64_t base; /* the address of place 0 */
	bool relocatable;
	unsigned count;
	struct wcm_placed_section *section; /* in the file's order */
};

/* Give every section its place; vma, size and code are filled in. */
void wcm__placement_lay_out(struct wcm_placement *placement);

/* The address at PLACE, as the file's own symbol table numbers it. */
uint64_t wcm__placement_address(const struct wcm_placement *placement,
				uint32_t place);

/* The place of ADDRESS, if it is code: in a relocatable file, that of the first
 * section that is long enough. */
bool wcm__placement_find(const struct wcm_placement *placement,
			 uint64_t address, uint32_t *place);

#endif
