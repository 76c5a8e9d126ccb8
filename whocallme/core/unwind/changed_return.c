/* SPDX-License-Identifier: MIT */
/* changed_return.c (SAFE) - keeps the return addresses that are changed.
 *
 * The address space is cut into ranges, and one with a stack in it has a trampoline and a
 * mirror: memory as large as the range, where the true return address lies as far from the
 * beginning as the changed one does in the range - or the last word of the frame, where a
 * call leaves the address in a register.  So nothing is taken for a call and nothing
 * is given back, whatever becomes of it - longjmp(3), an exception, a thread that ends, a
 * coroutine that is dropped - and no thread waits for another.  Pages of a mirror are there
 * as far as calls have been in the stack.
 */
#include "core/unwind/changed_return.h"

#include "core/os/slab.h"

#define RANGE ((uintptr_t)1 << WCM_RETURN_RANGE_BITS)

uintptr_t wcm__return_range[WCM_TRAMPOLINES];
uint64_t wcm__return_refused;

uintptr_t wcm__return_restored(uintptr_t ra, uintptr_t cfa)
{
	const unsigned number = (unsigned)wcm__arch_trampoline_number(ra);
	const uintptr_t at = cfa - sizeof(ra);
	const intptr_t distance = wcm__return_distance(number);

	if (at % sizeof(ra) != 0 || distance == 0 ||
	    __atomic_load_n(&wcm__return_range[number], __ATOMIC_RELAXED) !=
		    wcm__return_range_of(at))
		return ra;
	return *(const uintptr_t *)(at + (uintptr_t)distance);
}

/* Who comes second leaves it to the first, and has made one for nobody. */
static intptr_t make_mirror(unsigned number, uintptr_t at)
{
	const uintptr_t mirror = (uintptr_t)wcm__slab_take(RANGE);
	const intptr_t made = (intptr_t)(mirror - (at & ~(RANGE - 1)));
	intptr_t distance = 0;

	if (!mirror || __atomic_compare_exchange_n(&wcm__arch_trampoline_distance[number],
						   &distance, made, false,
						   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mirror ? made : 0;
	return distance;
}

/* The trampoline of the range that AT is in, or -1. */
static int trampoline_for(uintptr_t at)
{
	const uintptr_t wanted = wcm__return_range_of(at);
	unsigned number = wcm__return_hash(wanted);

	for (unsigned tries = 0; tries < WCM_TRAMPOLINES; tries++) {
		uintptr_t found = __atomic_load_n(&wcm__return_range[number], __ATOMIC_RELAXED);

		if (found == wanted ||
		    (found == 0 &&
		     (__atomic_compare_exchange_n(&wcm__return_range[number], &found, wanted,
						  false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
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
		changed->distance = wcm__return_distance((unsigned)number);
	return changed->distance != 0;
}

bool wcm__return_can_change(struct wcm_return *changed, uintptr_t cfa)
{
	if (wcm__return_has_mirror(changed, cfa))
		return true;
	if (changed->number >= 0)
		changed->distance = make_mirror((unsigned)changed->number, changed->at);
	if (changed->distance == 0)
		__atomic_fetch_add(&wcm__return_refused, 1, __ATOMIC_RELAXED);
	return changed->distance != 0;
}
