/* SPDX-License-Identifier: MIT */
/* recorded_modules.h (SAFE) - keeps which modules a trace has named, and which of them were called.
 *
 * A function is named by the module that was there when it was called; another module may
 * be at its address before the recording is read.
 */
#ifndef WCM_NAMES_RECORDED_MODULES_H
#define WCM_NAMES_RECORDED_MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_known_module;
struct wcm_module;
struct wcm_module_id;

/* The modules that a thread's last calls were in. */
struct wcm_recorded_last {
	uintptr_t lo, size; /* where the last is that cannot be unloaded; or 0 */
	uintptr_t before_lo, before_size; /* and the one before that */
	const struct wcm_module_id *unloadable; /* the last that can be; or NULL */
	bool is_first, before_is_first; /* as wcm__recorded_is_first() has it */
};

/* A function at ADDRESS is called at NOW: record that its module is there, unless
 * that is known. */
void wcm__recorded_note_module(struct wcm_recorded_last *last,
			       uintptr_t address, uint64_t now);

/* Whether the last call was in the same module, which cannot be unloaded. */
static inline bool wcm__recorded_is_last(const struct wcm_recorded_last *last,
					 uintptr_t address)
{
	return address - last->lo < last->size;
}

static inline void wcm__recorded_note(struct wcm_recorded_last *last,
				      uintptr_t address, uint64_t now)
{
	if (!__builtin_expect(wcm__recorded_is_last(last, address), 1))
		wcm__recorded_note_module(last, address, now);
}

/* The session's beginning says that MODULE is there.  Before the first call. */
void wcm__recorded_add(const struct wcm_known_module *module);

/* Whether what is at ADDRESS is known from the session's beginning: uftrace knows the values of no
 * other functions.  Signal-safe. */
bool wcm__recorded_is_first(uintptr_t address);

/* The same for a call that was noted by LAST, in no time where its module stays. */
static inline bool wcm__recorded_last_is_first(const struct wcm_recorded_last *last,
					       uintptr_t address)
{
	return wcm__recorded_is_last(last, address) ? last->is_first :
						      wcm__recorded_is_first(address);
}

/* Whether a function of MODULE was called. */
bool wcm__recorded_is_called(const struct wcm_known_module *module);

/* Another session begins, which knows of none: those that are called are told to
 * TELL. */
void wcm__recorded_begin(void (*tell)(uint64_t now,
				      const struct wcm_module *module));

#endif
