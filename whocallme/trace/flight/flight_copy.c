/* SPDX-License-Identifier: MIT */
/* flight_copy.c (SAFE) - copies the calls that a ring holds while its thread goes on.
 *
 * The thread overwrites the oldest calls first, and may be as quick as the copy is.  So this
 * begins with the latest, and what the thread has come to meanwhile is given up at the old
 * end: no call is missing in between.  Only one whose note a signal interrupted is, as it has
 * no function yet.
 */
#include "trace/flight/flight_copy.h"

#include <stddef.h>

#include "core/os/memory.h"

/* Until half of a ring is got. */
enum { TRIES = 16 };

/* The number is stored behind all else, and read before it. */
static void copy_entry(struct wcm_flight_entry *to, const struct wcm_flight_entry *from)
{
	const uint32_t number = __atomic_load_n(&from->number, __ATOMIC_ACQUIRE);

	*to = *(const volatile struct wcm_flight_entry *)from;
	to->number = number;
}

/* How many calls RING has before END, at most MOST. */
static uint32_t held(const struct wcm_flight_ring *ring, uint32_t end, uint32_t most)
{
	const uint32_t count = end - ring->first;

	return count < most ? count : most;
}

/* Whether half of what could be had is. */
static bool try_copy(struct wcm_flight_copy *copy, const struct wcm_flight_ring *ring)
{
	const uint32_t mask = ring->mask;
	const uint32_t most = copy->mask < mask ? copy->mask + 1 : mask + 1;
	uint32_t wanted, past;

	copy->end = __atomic_load_n(&ring->next, __ATOMIC_ACQUIRE);
	wanted = held(ring, copy->end, most);
	copy->from = copy->end - wanted;
	for (uint32_t index = copy->end; index-- != copy->from;)
		copy_entry(&copy->entry[index & copy->mask], &ring->entry[index & mask]);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	/* The thread takes an index before it writes there. */
	past = __atomic_load_n(&ring->next, __ATOMIC_RELAXED) - copy->from;
	if (past > mask + 1)
		past -= mask + 1;
	else
		past = 0;
	copy->from += past < wanted ? past : wanted;
	return copy->end - copy->from >= (wanted + 1) / 2;
}

void wcm__flight_copy(struct wcm_flight_copy *copy, const struct wcm_flight_ring *ring)
{
	const uint32_t room = ring->mask + 1;

	/* A page that comes first when it is written to would hold the copy up. */
	copy->entry = wcm__map_with(room * sizeof(*copy->entry), MAP_POPULATE);
	copy->mask = room - 1;
	if (!copy->entry) {
		copy->entry = copy->spare;
		copy->mask = WCM_FLIGHT_SPARE - 1;
	}
	for (int i = 0; i < TRIES && !try_copy(copy, ring); i++)
		;
}

void wcm__flight_copy_end(struct wcm_flight_copy *copy)
{
	if (copy->entry != copy->spare)
		wcm__unmap(copy->entry, (copy->mask + 1) * sizeof(*copy->entry));
}
