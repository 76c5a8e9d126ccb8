/* SPDX-License-Identifier: MIT */
/* changed_return.c - keeps the return addresses that are changed.
 *
 * The address space is cut into ranges, and one with a stack in it has a trampoline and a
 * mirror: memory as large as the range, where the true return address lies as far from the
 * beginning as the changed one does in the range.  So nothing is taken for a call and nothing
 * is given back, whatever becomes of it - longjmp(3), an exception, a thread that ends, a
 * coroutine that is dropped - and no thread waits for another.  Pages of a mirror are there
 * as far as calls have been in the stack.
 */
#include "core/unwind/changed_return.h"

#include "core/os/memory.h"

enum { RANGE_BITS = 20 };

#define RANGE ((uintptr_t)1 << RANGE_BITS)

/* Which range the trampoline of the same number serves, from 1; 0: none yet. */
static uintptr_t range[WCM_TRAMPOLINES];

static uintptr_t number_of_range(uintptr_t at)
{
	return (at >> RANGE_BITS) + 1;
}

static uintptr_t mirrored(intptr_t distance, uintptr_t at)
{
	return at + (uintptr_t)distance;
}

static intptr_t distance_of(unsigned number)
{
	return __atomic_load_n(&wcm__arch_trampoline_distance[number], __ATOMIC_ACQUIRE);
}

uintptr_t wcm__return_restored(uintptr_t ra, uintptr_t cfa)
{
	const unsigned number = (unsigned)wcm__arch_trampoline_number(ra);
	const uintptr_t at = cfa - sizeof(ra);

	if (at % sizeof(ra) != 0 || distance_of(number) == 0 ||
	    __atomic_load_n(&range[number], __ATOMIC_RELAXED) != number_of_range(at))
		return ra;
	return *(const uintptr_t *)mirrored(distance_of(number), at);
}

/* Who comes second leaves it to the first. */
static intptr_t make_mirror(unsigned number, uintptr_t at)
{
	const uintptr_t mirror = (uintptr_t)wcm__map_sparse(RANGE);
	const intptr_t made = (intptr_t)(mirror - (at & ~(RANGE - 1)));
	intptr_t distance = 0;

	if (!mirror || __atomic_compare_exchange_n(&wcm__arch_trampoline_distance[number],
						   &distance, made, false,
						   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mirror ? made : 0;
	wcm__unmap((void *)mirror, RANGE);
	return distance;
}

/* The trampoline of the range that AT is in, or -1. */
static int trampoline_for(uintptr_t at)
{
	const uintptr_t wanted = number_of_range(at);
	unsigned number = (unsigned)((uint64_t)wanted * UINT64_C(0x9e3779b97f4a7c15) >> 40) %
			  WCM_TRAMPOLINES;

	for (unsigned tries = 0; tries < WCM_TRAMPOLINES; tries++) {
		uintptr_t found = __atomic_load_n(&range[number], __ATOMIC_RELAXED);

		if (found == wanted ||
		    (found == 0 && (__atomic_compare_exchange_n(&range[number], &found, wanted,
								false, __ATOMIC_RELAXED,
								__ATOMIC_RELAXED) ||
				    found == wanted)))
			return (int)number;
		number = (number + 1) % WCM_TRAMPOLINES;
	}
	return -1;
}

bool wcm__return_has_mirror(struct wcm_return *changed, uintptr_t cfa)
{
	const uintptr_t at = cfa - sizeof(at);
	const int number = at % sizeof(at) == 0 ? trampoline_for(at) : -1;

	*changed = (struct wcm_return){ .at = at, .number = number };
	if (number >= 0)
		changed->distance = distance_of((unsigned)number);
	return changed->distance != 0;
}

bool wcm__return_can_change(struct wcm_return *changed, uintptr_t cfa)
{
	if (wcm__return_has_mirror(changed, cfa))
		return true;
	if (changed->number >= 0)
		changed->distance = make_mirror((unsigned)changed->number, changed->at);
	return changed->distance != 0;
}

void wcm__return_change(const struct wcm_return *changed)
{
	const uintptr_t at = changed->at;

	*(uintptr_t *)mirrored(changed->distance, at) = *(const uintptr_t *)at;
	/* A handler that interrupts finds either address, and what is true of it. */
	__atomic_signal_fence(__ATOMIC_RELEASE);
	*(volatile uintptr_t *)at = wcm__arch_trampoline((unsigned)changed->number);
}
