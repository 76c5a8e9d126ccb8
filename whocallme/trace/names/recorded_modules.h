/* SPDX-License-Identifier: MIT */
/* noted.h - which modules does a trace name, and which of them were called?
 *
 * A function is named by the module that was there when it was called, though
 * another may have its place before the recording is read.
 */
#ifndef WCM_HOOK_NOTED_H
#define WCM_HOOK_NOTED_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_known_module;
struct wcm_module;

enum { WCM_HEAD_WORDS = 128 };

/* The module that a thread's last call was in. */
struct wcm_noted_last {
	uintptr_t lo, size; /* its place */
	bool permanent;     /* it stays there for good */
	uintptr_t before_lo, before_size; /* of the one before, if that does; or 0 */
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

/* The session's beginning says that MODULE is there.  Before the first call. */
void wcm__noted_add(const struct wcm_known_module *module);

/* Whether a function of MODULE was called. */
bool wcm__noted_is_called(const struct wcm_known_module *module);

/* Another session begins, which knows of none: those that are called are told to
 * TELL. */
void wcm__noted_begin(void (*tell)(uint64_t now, const struct wcm_module *module));

#endif
