/* SPDX-License-Identifier: MIT */
/* maps.h (SAFE) - reads what this process has mapped, from /proc/self/maps (proc(5)). */
#ifndef WCM_OS_MAPS_H
#define WCM_OS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/os/proc_file.h"

enum { WCM_MAPPING_PATH = 512, WCM_MAPS_PATH = 4200 };

/* [lo, hi); all zero: none. */
struct wcm_mapping {
	uintptr_t lo, hi;
	uint64_t offset;     /* of lo in the file */
	uint64_t inode;      /* of the file */
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

/* A look at mappings one by one, for any thread: too much for a handler's stack. */
struct wcm_maps {
	struct wcm_proc_file file;
	struct wcm_mapping mapping;
	char path[WCM_MAPS_PATH]; /* the mapping's whole path, not in MAPPING; empty: none */
};

/* False where they cannot be listed. */
bool wcm__maps_open(struct wcm_maps *maps);
void wcm__maps_close(struct wcm_maps *maps);

/* Go on to the next mapping.  False at the end of the list. */
bool wcm__maps_next(struct wcm_maps *maps);

/* Go on to the mapping that holds ADDRESS, no lower than the one before.  False where none does. */
bool wcm__maps_seek(struct wcm_maps *maps, uintptr_t address);

#endif
