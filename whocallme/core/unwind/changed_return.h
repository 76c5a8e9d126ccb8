/* SPDX-License-Identifier: MIT */
/* changed_return.h - return addresses that are changed, so that the end of a call is told.
 *
 * Unwinders that read call frame information get the true ones from that of the trampolines
 * they are changed to.  This library's own takes the short way, and shows no trampoline.
 */
#ifndef WCM_UNWIND_CHANGED_RETURN_H
#define WCM_UNWIND_CHANGED_RETURN_H

#include "core/arch/arch.h"

/* What RA, which is loaded from the frame that ends at CFA, stands for: itself, where it is
 * not a changed one. */
uintptr_t wcm__return_restored(uintptr_t ra, uintptr_t cfa);

static inline uintptr_t wcm__return_true(uintptr_t ra, uintptr_t cfa)
{
	return __builtin_expect(wcm__arch_trampoline_number(ra) >= 0, 0) ?
		       wcm__return_restored(ra, cfa) : ra;
}

/* A return address that can be changed. */
struct wcm_return {
	uintptr_t at;      /* where it lies */
	intptr_t distance; /* from there to its mirror */
	int number;        /* of its trampoline */
};

/* Whether that of a function whose frame ends at CFA can be changed, which *CHANGED becomes:
 * else there is no memory, or there are too many stacks.  Signal-safe, from any thread. */
bool wcm__return_can_change(struct wcm_return *changed, uintptr_t cfa);

/* The same without making anything: all memory for it is there. */
bool wcm__return_has_mirror(struct wcm_return *changed, uintptr_t cfa);

/* Change it: by two stores. */
void wcm__return_change(const struct wcm_return *changed);

#endif
