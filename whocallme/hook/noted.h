/* SPDX-License-Identifier: MIT */
/* noted.h - which modules have come since the session began?
 *
 * A function is named by the module that was there when it was called, though
 * another may have its place before the recording is read.
 */
#ifndef WCM_HOOK_NOTED_H
#define WCM_HOOK_NOTED_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_noted_module {
	uintptr_t lo, hi;
	uint64_t fingerprint;
	const char *path; /* NULL: it is not known, or gone */
};

/* A function at ADDRESS is called at NOW: record that its module is there, unless
 * that is known.  The module's place is *LO and *SIZE if it stays for good. */
void wcm__note_module(uintptr_t address, uint64_t now, uintptr_t *lo,
		      uintptr_t *size);

/* The one at INDEX.  False past the last. */
bool wcm__noted_get(unsigned index, struct wcm_noted_module *module);

/* Another session begins, which knows of none. */
void wcm__noted_clear(void);

#endif
