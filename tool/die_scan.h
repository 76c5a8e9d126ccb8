/* SPDX-License-Identifier: MIT */
/* die_scan.h - which entries follow each other in .debug_info?
 *
 * libdw finds the next sibling of an entry by passing over all that is below it,
 * once more on each level, where the compiler wrote no DW_AT_sibling.  Here a unit
 * is read once, from its beginning to its end; what an entry says is libdw's to tell.
 */
#ifndef WCM_TOOL_DIE_SCAN_H
#define WCM_TOOL_DIE_SCAN_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug_bytes.h"

struct abbreviations;

/* Those of the unit whose first entry is UNIT; NULL when out of memory or where they
 * cannot be read. */
struct abbreviations *abbreviations_read(const Dwarf_Die *unit);
void abbreviations_free(struct abbreviations *abbreviations);

struct die_scan {
	const struct abbreviations *abbreviations;
	struct debug_bytes bytes;
	unsigned depth;
	bool begun;
	bool descends; /* the last entry has children */
};

/* One entry. */
struct die_seen {
	uint8_t *start; /* for Dwarf_Die.addr */
	unsigned tag;   /* DW_TAG_ */
	unsigned depth; /* from 0 */
	bool placed;    /* it has DW_AT_low_pc or DW_AT_ranges */
};

/* Begin with the entry at START, and end behind the last below it. */
void die_scan_begin(struct die_scan *scan,
		    const struct abbreviations *abbreviations,
		    const void *start);

/* The next.  False at the end, and where the data is damaged. */
bool die_scan_next(struct die_scan *scan, struct die_seen *seen);

#endif
