/* SPDX-License-Identifier: MIT */
/* ring.h - records on their way from one thread to the file.
 *
 * One writer, the thread; one reader, whoever drains.  What finds no room is
 * counted, never waited for.
 */
#ifndef WCM_HOOK_RING_H
#define WCM_HOOK_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_record {
	uint64_t time, bits; /* as uftrace's <tid>.dat has them */
};

struct wcm_ring {
	_Alignas(64) uint64_t head; /* records written, ever; the writer's */
	_Alignas(64) uint64_t tail; /* records read, ever; the reader's */
	uint64_t room;              /* of records, a power of two */
	struct wcm_record *record;
};

static inline bool wcm__ring_put(struct wcm_ring *ring, uint64_t time, uint64_t bits)
{
	const uint64_t head = ring->head;

	if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) == ring->room)
		return false;
	ring->record[head & (ring->room - 1)] =
		(struct wcm_record){ time, bits };
	__atomic_store_n(&ring->head, head + 1, __ATOMIC_RELEASE);
	return true;
}

#endif
