/* SPDX-License-Identifier: MIT */
/* flight_ring.h (SAFE) - the last calls of a thread, in memory of its own.
 *
 * The thread alone writes, without a lock; whoever else reads tells by an entry's number
 * whether it is whole.  A ring is never unmapped: it goes to another thread when its own has
 * ended.
 *
 * To note a call takes a few instructions on general registers.  A note may interrupt
 * another, in a signal handler: each has taken its index at once.
 */
#ifndef WCM_FLIGHT_RING_H
#define WCM_FLIGHT_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arch/arch.h"
#include "core/os/read.h"
#include "crash/threads/last_calls.h"
#include "format/agent_protocol.h"

/* A function that was entered; half a line of the cache. */
struct wcm_flight_entry {
	uintptr_t func;  /* or, of a sled, where its call returns to */
	uint64_t ticks;  /* the CPU's counter */
	uint64_t place;  /* wcm__flight_place() */
	uint32_t depth;  /* among open calls, or WCM_FLIGHT_BY_SP: nothing tells exits */
	uint32_t number; /* its index and 1, stored last */
};

#define WCM_FLIGHT_BY_SP UINT32_MAX

/* Where addresses take half of the bits, the others have where a sled's function returns to. */
enum { WCM_FLIGHT_HAS_RETURNS = sizeof(uintptr_t) < sizeof(uint64_t) };

/* SP is the stack pointer at the hook, or at the sled; RETURNS is 0 where it is not known. */
static inline uint64_t wcm__flight_place(uintptr_t sp, uintptr_t returns)
{
	return WCM_FLIGHT_HAS_RETURNS ? (uint64_t)returns << 32 | sp : sp;
}

static inline uintptr_t wcm__flight_sp(const struct wcm_flight_entry *entry)
{
	return (uintptr_t)entry->place;
}

static inline uintptr_t wcm__flight_returns(const struct wcm_flight_entry *entry)
{
	return WCM_FLIGHT_HAS_RETURNS ? (uintptr_t)(entry->place >> 32) : 0;
}

/* How many calls a ring holds where nobody says it. */
enum { WCM_FLIGHT_DEFAULT = 64 };

/* A child of fork(2) finds it cleared, so that of its parent's rings it goes on with its own alone,
 * and with the calls that led to the fork.  It lies so many bytes in front of its ring, in pages
 * with those of others: a mapping has two kinds of pages, and not two for each thread. */
struct wcm_flight_life {
	uint32_t flight; /* the start it is for; 0: none */
	int pid, tid;
};

enum { WCM_FLIGHT_APART = 1 << 20 };

struct wcm_flight_ring {
	_Alignas(256) struct wcm_flight_ring *older; /* of all */
	uint32_t mask;  /* one less than the entries that are in use */
	uint32_t room;  /* that there are */
	uint32_t first; /* index of the thread's first since the start */
	_Alignas(64) uint32_t next; /* index of the one that comes */
	uint32_t depth;
	_Alignas(64) struct wcm_flight_entry entry[];
};

extern __thread struct wcm_flight_ring *wcm__flight_own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline struct wcm_flight_life *wcm__flight_life(const struct wcm_flight_ring *ring)
{
	return (struct wcm_flight_life *)((uintptr_t)ring - WCM_FLIGHT_APART);
}

/* Give the calling thread a ring for the start FLIGHT, and note the call with which that
 * begins.  Where there is no memory the ring is one that nobody reads. */
void wcm__flight_first(uintptr_t func, uint64_t place, uint32_t flight, bool by_sp);

/* Whether RING, the calling thread's, is for the start FLIGHT. */
static inline bool wcm__flight_is_for(const struct wcm_flight_ring *ring, uint32_t flight)
{
	return __builtin_expect(ring != NULL && wcm__flight_life(ring)->flight == flight, 1);
}

static inline void wcm__flight_note(struct wcm_flight_ring *ring, uintptr_t func, uint64_t place,
				    uint32_t depth)
{
	const uint32_t index = wcm__arch_take_index(&ring->next);
	struct wcm_flight_entry *entry = &ring->entry[index & ring->mask];

	entry->func = func;
	entry->place = place;
	entry->depth = depth;
	entry->ticks = wcm__arch_ticks();
	__atomic_store_n(&entry->number, index + 1, __ATOMIC_RELEASE);
}

/* A hook tells that FUNC is entered; SP is that of the call of the hook. */
static inline void wcm__flight_enter(uintptr_t func, uintptr_t sp, uint32_t flight)
{
	struct wcm_flight_ring *ring = wcm__flight_own;

	if (wcm__flight_is_for(ring, flight))
		wcm__flight_note(ring, func, wcm__flight_place(sp, 0), ring->depth++);
	else
		wcm__flight_first(func, wcm__flight_place(sp, 0), flight, false);
}

/* A hook tells that a function is left. */
static inline void wcm__flight_leave(uint32_t flight)
{
	struct wcm_flight_ring *ring = wcm__flight_own;

	if (wcm__flight_is_for(ring, flight))
		ring->depth--;
}

/* The call in a sled returns to PC; PLACE is that of the sled. */
static inline void wcm__flight_enter_sled(uintptr_t pc, uint64_t place, uint32_t flight)
{
	struct wcm_flight_ring *ring = wcm__flight_own;

	if (wcm__flight_is_for(ring, flight))
		wcm__flight_note(ring, pc, place, WCM_FLIGHT_BY_SP);
	else
		wcm__flight_first(pc, place, flight, true);
}

/* Have all threads keep the last CALLS of theirs; 0 is WCM_FLIGHT_DEFAULT. */
void wcm__flight_open(uint32_t calls);
void wcm__flight_close(void);

/* Call VISIT with the id of each thread of this process that has some, until that returns
 * false.  False: they are not kept. */
bool wcm__flight_visit(bool (*visit)(int tid, void *data), void *data);

/* That of thread TID of this process.  NULL: it has none. */
const struct wcm_flight_ring *wcm__flight_of(int tid);

/* flight_calls.c: tells of the calls that rings hold. */

/* For wcm__last_calls_keep(). */
extern const struct wcm_last_calls_keeper wcm__flight_keeper
	__attribute__((visibility("hidden")));

/* How to find the function of a sled, by where its call returns to; 0: it is not known. */
void wcm__flight_find_by(uintptr_t (*find)(uintptr_t pc));

/* Relate the counter to the clock: times are told by how far both have gone since. */
void wcm__flight_times_begin(void);

#endif
