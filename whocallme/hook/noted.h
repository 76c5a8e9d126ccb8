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

enum { WCM_HEAD_WORDS = 128 };

/* The module that a thread's last call was in. */
struct wcm_noted_last {
	uintptr_t lo, size; /* its place */
	bool permanent;     /* it stays there for good */
	uint64_t head[WCM_HEAD_WORDS]; /* what it begins with, if not */
};

/* A function at ADDRESS is called at NOW: record that its module is there, unless
 * that is known. */
void wcm__note_module(struct wcm_noted_last *last, uintptr_t address, uint64_t now);

static inline void wcm__note(struct wcm_noted_last *last, uintptr_t address,
			     uint64_t now)
{
	if (__builtin_expect(address - last->lo >= last->size || !last->permanent, 0))
		wcm__note_module(last, address, now);
}

/* The one at INDEX.  False past the last. */
bool wcm__noted_get(unsigned index, struct wcm_noted_module *module);

/* Another session begins, which knows of none. */
void wcm__noted_clear(void);

#endif
