/* SPDX-License-Identifier: MIT */
/* maps.h - reads what this process has mapped, from /proc/self/maps (proc(5)). */
#ifndef WCM_FILES_MAPS_H
#define WCM_FILES_MAPS_H

#include <stdbool.h>
#include <stdint.h>

enum { WCM_MAPPING_PATH = 512 };

/* [lo, hi); all zero: none. */
struct wcm_mapping {
	uintptr_t lo, hi;
	uint64_t offset;     /* of lo in the file */
	char permissions[5]; /* as "r-xp" */
	char path[WCM_MAPPING_PATH]; /* or "[heap]" and the like, or empty; the
				      * beginning of one that is longer */
};

static inline bool wcm__mapping_is_writable(const struct wcm_mapping *mapping)
{
	return mapping->permissions[1] == 'w';
}

/* Neither to be read, nor written, nor run. */
static inline bool wcm__mapping_is_closed(const struct wcm_mapping *mapping)
{
	return mapping->permissions[0] == '-' &&
	       mapping->permissions[1] == '-' && mapping->permissions[2] == '-';
}

/* Pass every mapping to VISIT, which ends the visits by returning false, in
 * ascending order, until DEADLINE (of wcm__clock_ns()).  False where they cannot
 * be listed, or not all.  For one thread at a time. */
typedef bool wcm_mapping_visitor(const struct wcm_mapping *mapping, void *data);
bool wcm__maps_visit(uint64_t deadline, wcm_mapping_visitor *visit, void *data);

#endif
