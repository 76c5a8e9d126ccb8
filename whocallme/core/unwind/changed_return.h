/* SPDX-License-Identifier: MIT */
/* changed_return.h (SAFE) - return addresses that are changed, so that the end of a call is told.
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
	return __builtin_expect(wcm__arch_trampoline_of(ra) >= 0, 0) ?
		       wcm__return_restored(ra, cfa) : ra;
}

/* A return address that can be changed. */
struct wcm_return {
	uintptr_t at;      /* the last word of its frame: it lies there, or will be known by that */
	intptr_t distance; /* from there to its mirror */
	int number;        /* of its trampoline */
};

/* Whether that of a function whose frame ends at CFA can be changed, which *CHANGED becomes:
 * else there is no memory, or there are too many stacks.  Signal-safe, from any thread. */
bool wcm__return_can_change(struct wcm_return *changed, uintptr_t cfa);

/* How often it could not. */
extern uint64_t wcm__return_refused __attribute__((visibility("hidden")));

/* The same without making anything: all memory for it is there.  CFA is that of a frame which
 * is not damaged. */
bool wcm__return_has_mirror(struct wcm_return *changed, uintptr_t cfa);

/* What follows is inline for the first stage of a sled's entry. */

enum { WCM_RETURN_RANGE_BITS = 20 };

/* Which range of addresses the trampoline of the same number serves, from 1; 0: none yet. */
extern uintptr_t wcm__return_range[WCM_TRAMPOLINES] __attribute__((visibility("hidden")));

static inline uintptr_t wcm__return_range_of(uintptr_t at)
{
	return (at >> WCM_RETURN_RANGE_BITS) + 1;
}

/* The trampoline to look at first for RANGE. */
static inline unsigned wcm__return_hash(uintptr_t range)
{
	return (unsigned)((uint64_t)range * UINT64_C(0x9e3779b97f4a7c15) >> 40) %
	       WCM_TRAMPOLINES;
}

static inline intptr_t wcm__return_distance(unsigned number)
{
	return __atomic_load_n(&wcm__arch_trampoline_distance[number], __ATOMIC_ACQUIRE);
}

/* As wcm__return_has_mirror(), by one look. */
static inline bool wcm__return_has_mirror_at_once(struct wcm_return *changed, uintptr_t cfa)
{
	const uintptr_t at = cfa - sizeof(at), range = wcm__return_range_of(at);
	const unsigned number = wcm__return_hash(range);

	if (__builtin_expect(at % sizeof(at) != 0 ||
		__atomic_load_n(&wcm__return_range[number], __ATOMIC_RELAXED) != range, 0))
		return wcm__return_has_mirror(changed, cfa);
	*changed = (struct wcm_return){ .at = at, .distance = wcm__return_distance(number),
					.number = (int)number };
	return changed->distance != 0;
}

/* The word of the mirror for the one at AT, in the range of trampoline NUMBER, which has a
 * mirror, or NULL. */
static inline uintptr_t *wcm__return_mirrored(unsigned number, uintptr_t at)
{
	if (__builtin_expect(at % sizeof(at) != 0 ||
		__atomic_load_n(&wcm__return_range[number], __ATOMIC_RELAXED) !=
			wcm__return_range_of(at), 0))
		return NULL;
	return (uintptr_t *)(at + (uintptr_t)wcm__return_distance(number));
}

enum { WCM_RETURN_MOST_POPPED = 16 }; /* words that a callee takes off */

/* A callee that takes arguments off the stack comes to its trampoline with a higher stack
 * pointer than another.  Where that is, the mirror has nothing but what is changed now: a word
 * is cleared at the return, and in front of a new one what calls have left there that never
 * returned, unless the stack has a changed address there. */
static inline void wcm__return_clear_in_front(const struct wcm_return *changed)
{
	uintptr_t at = changed->at;

	for (unsigned words = 0; words < WCM_RETURN_MOST_POPPED; words++) {
		uintptr_t *left;

		at += sizeof(at);
		left = wcm__return_mirrored((unsigned)changed->number, at);
		if (left && *left != 0 && wcm__arch_trampoline_of(*(const uintptr_t *)at) < 0)
			*left = 0;
	}
}

/* Where the frame ended whose function has returned to a trampoline, the call in which returns
 * to RA, and left SP. */
static inline uintptr_t wcm__return_frame_end(uintptr_t ra, uintptr_t sp)
{
	for (unsigned words = 0; WCM_CALLEE_MAY_POP && words < WCM_RETURN_MOST_POPPED; words++) {
		const uintptr_t cfa = sp - words * sizeof(sp);
		const uintptr_t *const kept = wcm__return_mirrored(
			wcm__arch_trampoline_called(ra), cfa - sizeof(cfa));

		if (kept && *kept != 0)
			return cfa;
	}
	return sp;
}

/* The frame that ended at CFA has returned, to where it is known to. */
static inline void wcm__return_is_over(uintptr_t ra, uintptr_t cfa)
{
	uintptr_t *const kept =
		WCM_CALLEE_MAY_POP ? wcm__return_mirrored(wcm__arch_trampoline_called(ra),
							  cfa - sizeof(cfa)) : NULL;

	if (kept)
		*kept = 0;
}

/* Change it, which lies at WHERE now: by two stores. */
static inline void wcm__return_change(const struct wcm_return *changed, uintptr_t *where)
{
	if (WCM_CALLEE_MAY_POP)
		wcm__return_clear_in_front(changed);
	*(uintptr_t *)(changed->at + (uintptr_t)changed->distance) = *where;
	/* A handler that interrupts finds either address, and what is true of it. */
	__atomic_signal_fence(__ATOMIC_RELEASE);
	*(volatile uintptr_t *)where = wcm__arch_trampoline((unsigned)changed->number);
}

/* *RA is where the call in a trampoline returns to: make it what the frame that ends at CFA
 * had in that trampoline's place.  False: the frame is not where it was when it was changed. */
static inline bool wcm__return_kept(uintptr_t *ra, uintptr_t cfa)
{
	const uintptr_t *const kept =
		wcm__return_mirrored(wcm__arch_trampoline_called(*ra), cfa - sizeof(cfa));

	if (!kept)
		return false;
	*ra = *kept;
	return true;
}

#endif
