/* SPDX-License-Identifier: MIT */
/* flight_ring.c (SAFE) - gives each thread the ring that holds its last calls.
 *
 * It is taken at a thread's first call.  A thread's ring is taken over by another once the
 * kernel knows the thread no more; of rings that a child of fork(2) has from other threads
 * of its parent nobody can tell, and they stay as they are.
 */
#include "trace/flight/flight_ring.h"

#include <stddef.h>

#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/slab.h"
#include "trace/engine/gate.h"

enum { PROBES = 4, TAKEN = -1 };

__thread struct wcm_flight_ring *wcm__flight_own __attribute__((tls_model("initial-exec")));

static struct wcm_flight_ring *rings; /* all; only ever grows at its head */
static uint32_t wanted;               /* entries, a power of two */

/* Of all threads without memory: one entry, written by all and read by none.  It is where the
 * ring's size, which its alignment makes larger, ends. */
static _Alignas(256) char nowhere_room[WCM_FLIGHT_APART + sizeof(struct wcm_flight_ring)];
static struct wcm_flight_ring *const nowhere =
	(struct wcm_flight_ring *)(void *)(nowhere_room + WCM_FLIGHT_APART);
_Static_assert(sizeof(*nowhere) >= offsetof(struct wcm_flight_ring, entry) +
					   sizeof(struct wcm_flight_entry), "an entry has room");

/* Lives, and behind them the rings, of threads that come one after the other. */
struct bundle {
	size_t stride; /* bytes from one to the next, of lives and of rings */
	size_t size;   /* of all rings */
	size_t used;   /* bytes given away, and more */
	char *lives;
	struct bundle *next; /* of SPARE */
};

static struct bundle *current;
static struct bundle *spare; /* made by threads that came second, which is many where all begin */

static void keep_for_later(struct bundle *bundle)
{
	bundle->next = __atomic_load_n(&spare, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&spare, &bundle->next, bundle, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

/* One that was kept, or NULL.  All are taken, and the others given back at once, so that nobody
 * else has one of them in its hand.  One of an earlier start's size is of no use any more. */
static struct bundle *take_kept(size_t stride)
{
	struct bundle *kept = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQUIRE), *none = NULL;
	struct bundle *rest = kept ? kept->next : NULL, *next;

	if (rest && !__atomic_compare_exchange_n(&spare, &none, rest, false, __ATOMIC_RELEASE,
						 __ATOMIC_RELAXED))
		for (; rest; rest = next) {
			next = rest->next;
			keep_for_later(rest);
		}
	return kept && kept->stride == stride ? kept : NULL;
}

/* NULL: no memory. */
static struct bundle *make_bundle(size_t stride)
{
	struct bundle *made = wcm__slab_take(sizeof(*made));
	const size_t size = stride < WCM_FLIGHT_APART ? WCM_FLIGHT_APART : stride;
	const size_t page = WCM_LARGEST_PAGE;
	void *room = made ? wcm__slab_take(WCM_FLIGHT_APART + size + page) : NULL;
	uintptr_t taken;

	/* A small share of a bounded address space has no room for it, where that itself has. */
	if (made && !room)
		room = wcm__map_sparse(WCM_FLIGHT_APART + size + page);
	if (!room)
		return NULL;
	taken = (uintptr_t)room;
	made->lives = (char *)((taken + page - 1) & ~(page - 1));
	made->stride = stride;
	made->size = size;
	wcm__wipe_on_fork(made->lives, WCM_FLIGHT_APART);
	return made;
}

/* After FULL; who comes second takes what the first has brought.  False: no memory. */
static bool bring_bundle(struct bundle *full, size_t stride)
{
	struct bundle *brought = take_kept(stride);

	if (!brought)
		brought = make_bundle(stride);
	if (brought && !__atomic_compare_exchange_n(&current, &full, brought, false,
						    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		keep_for_later(brought);
	return brought != NULL;
}

static struct wcm_flight_ring *take_new(uint32_t room)
{
	const size_t stride = sizeof(struct wcm_flight_ring) +
			      room * sizeof(struct wcm_flight_entry);

	for (;;) {
		struct bundle *bundle = __atomic_load_n(&current, __ATOMIC_ACQUIRE);

		if (bundle && bundle->stride == stride) {
			const size_t at = __atomic_fetch_add(&bundle->used, stride,
							     __ATOMIC_RELAXED);

			if (at <= bundle->size && stride <= bundle->size - at)
				return (void *)(bundle->lives + WCM_FLIGHT_APART + at);
		}
		if (!bring_bundle(bundle, stride))
			return NULL;
	}
}

static struct wcm_flight_ring *make(uint32_t room)
{
	struct wcm_flight_ring *ring = take_new(room);

	if (!ring)
		return NULL;
	ring->room = room;
	wcm__flight_life(ring)->tid = TAKEN;
	ring->older = __atomic_load_n(&rings, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&rings, &ring->older, ring, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return ring;
}

/* Take RING if the thread that has it is no more, or is TID, which had a namesake.  TAKEN in
 * place of the owner's number lets one thread in. */
static bool take(struct wcm_flight_ring *ring, uint32_t room, int pid, int tid)
{
	int owner = __atomic_load_n(&wcm__flight_life(ring)->tid, __ATOMIC_ACQUIRE);

	return owner > 0 && wcm__flight_life(ring)->pid == pid && ring->room >= room &&
	       (owner == tid || wcm__thread_is_gone(pid, owner)) &&
	       __atomic_compare_exchange_n(&wcm__flight_life(ring)->tid, &owner, TAKEN, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* One whose thread has ended, looked for where nobody has looked of late: to ask is a system
 * call, and most threads live. */
static struct wcm_flight_ring *find_ended(uint32_t room, int pid, int tid)
{
	static struct wcm_flight_ring *probe;
	struct wcm_flight_ring *ring = __atomic_load_n(&probe, __ATOMIC_RELAXED);

	for (int i = 0; i < PROBES; i++, ring = ring->older) {
		if (!ring && !(ring = __atomic_load_n(&rings, __ATOMIC_ACQUIRE)))
			return NULL;
		__atomic_store_n(&probe, ring->older, __ATOMIC_RELAXED);
		if (take(ring, room, pid, tid))
			return ring;
	}
	return NULL;
}

/* One that the thread does not have yet.  Less than the usual room would take as many pages. */
static struct wcm_flight_ring *get(uint32_t room, int pid, int tid)
{
	struct wcm_flight_ring *ring = find_ended(room, pid, tid);

	if (!ring)
		ring = make(room < WCM_FLIGHT_DEFAULT ? WCM_FLIGHT_DEFAULT : room);
	if (!ring)
		return NULL;
	ring->first = ring->next;
	ring->depth = UINT32_MAX / 2; /* functions may be left that were not noted */
	return ring;
}

/* All signals are blocked, so that no handler notes a call meanwhile, but for the one by which
 * a seccomp filter refuses the system calls here; that one's calls go nowhere. */
static struct wcm_flight_ring *begin(uint32_t flight)
{
	const uint64_t mask = wcm__mask_set(WCM_MASK_QUIET);
	const uint32_t room = __atomic_load_n(&wanted, __ATOMIC_RELAXED);
	const int pid = wcm__process_id(), tid = wcm__thread_id();
	struct wcm_flight_ring *ring = wcm__flight_own;

	__atomic_store_n(&wcm__flight_life(nowhere)->flight, flight, __ATOMIC_RELAXED);
	wcm__flight_own = nowhere;
	if (!ring || ring == nowhere || ring->room < room)
		ring = get(room, pid, tid);
	else if (wcm__flight_life(ring)->flight != 0) /* else this is a child, and goes on */
		ring->first = ring->next;
	if (ring) {
		ring->mask = room - 1;
		wcm__flight_life(ring)->pid = pid;
		__atomic_store_n(&wcm__flight_life(ring)->tid, tid, __ATOMIC_RELEASE);
		__atomic_store_n(&wcm__flight_life(ring)->flight, flight, __ATOMIC_RELEASE);
		wcm__flight_own = ring;
	}
	wcm__mask_set(mask);
	return wcm__flight_own;
}

void wcm__flight_first(uintptr_t func, uint64_t place, uint32_t flight, bool by_sp)
{
	struct wcm_flight_ring *ring = begin(flight);

	wcm__flight_note(ring, func, place, by_sp ? WCM_FLIGHT_BY_SP : ring->depth++);
}

/* The power of two that is CALLS or more. */
static uint32_t round_up(uint32_t calls)
{
	uint32_t entries = 1;

	while (entries < calls && entries < WCM_FLIGHT_MOST)
		entries *= 2;
	return entries;
}

void wcm__flight_open(uint32_t calls)
{
	static uint32_t starts;
	uint32_t flight;

	__atomic_store_n(&wanted, round_up(calls ? calls : WCM_FLIGHT_DEFAULT),
			 __ATOMIC_RELAXED);
	while ((flight = __atomic_add_fetch(&starts, 1, __ATOMIC_RELAXED)) == 0)
		;
	__atomic_store_n(&wcm__gate.flight, flight, __ATOMIC_RELEASE);
}

void wcm__flight_close(void)
{
	__atomic_store_n(&wcm__gate.flight, 0, __ATOMIC_RELEASE);
}

static uint32_t flight_now(void)
{
	return __atomic_load_n(&wcm__gate.flight, __ATOMIC_ACQUIRE);
}

/* Whether RING is one of a thread of this process, and for the start FLIGHT. */
static bool is_for(const struct wcm_flight_ring *ring, uint32_t flight, int pid)
{
	return __atomic_load_n(&wcm__flight_life(ring)->flight, __ATOMIC_ACQUIRE) == flight &&
	       wcm__flight_life(ring)->pid == pid;
}

/* The calling thread's own.  In a child that has called nothing yet it is its parent's. */
static const struct wcm_flight_ring *own_ring(uint32_t flight)
{
	const struct wcm_flight_ring *ring = wcm__flight_own;
	uint32_t is_of;

	if (!ring || ring == nowhere)
		return NULL;
	is_of = wcm__flight_life(ring)->flight;
	return is_of == flight || is_of == 0 ? ring : NULL;
}

const struct wcm_flight_ring *wcm__flight_of(int tid)
{
	const struct wcm_flight_ring *ring = NULL;
	const uint32_t flight = flight_now();
	const int pid = wcm__process_id();

	if (flight == 0)
		return NULL;
	if (tid == wcm__thread_id())
		ring = own_ring(flight);
	if (ring)
		return ring;
	for (ring = __atomic_load_n(&rings, __ATOMIC_ACQUIRE); ring; ring = ring->older)
		if (wcm__flight_life(ring)->tid == tid && is_for(ring, flight, pid))
			return ring;
	return NULL;
}

static bool is_of_other(int tid, int pid, int self)
{
	return tid > 0 && tid != self && !wcm__thread_is_gone(pid, tid);
}

bool wcm__flight_visit(bool (*visit)(int tid, void *data), void *data)
{
	const uint32_t flight = flight_now();
	const int pid = wcm__process_id(), self = wcm__thread_id();
	const struct wcm_flight_ring *ring;

	if (flight == 0)
		return false;
	if (own_ring(flight) && !visit(self, data))
		return true;
	for (ring = __atomic_load_n(&rings, __ATOMIC_ACQUIRE); ring; ring = ring->older)
		if (is_for(ring, flight, pid) &&
		    is_of_other(wcm__flight_life(ring)->tid, pid, self) &&
		    !visit(wcm__flight_life(ring)->tid, data))
			break;
	return true;
}
