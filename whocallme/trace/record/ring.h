/* SPDX-License-Identifier: MIT */
/* ring.h - where a thread's records go: straight into its file.
 *
 * The part of the file being filled is mapped, so that what has been stored is in
 * the recording however the process ends, and putting a record is two stores.  The
 * next part is made ready off the hot path; a thread that comes too early makes it
 * itself, and so is held up rather than robbed of records.  No descriptor stays
 * open, so that none can be closed, reused or inherited.
 */
#ifndef WCM_HOOK_RING_H
#define WCM_HOOK_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_record {
	uint64_t time, bits; /* as uftrace's <tid>.dat has them */
};

/* The bits of a record: its type, uftrace's mark, depth and function. */
enum wcm_record_type { WCM_RECORD_ENTRY, WCM_RECORD_EXIT, WCM_RECORD_LOST };

enum { WCM_RECORD_MARK = 5, WCM_RECORD_DEPTHS = 1024 };

static inline uint64_t wcm__record_bits(enum wcm_record_type type, uint32_t depth,
					uint64_t value)
{
	return type | WCM_RECORD_MARK << 3 |
	       (uint64_t)(depth % WCM_RECORD_DEPTHS) << 6 | value << 16;
}

/* A part of a file, mapped. */
struct wcm_window {
	char *at; /* NULL: there is none */
	size_t size;
	uint64_t offset; /* in the file */
};

struct wcm_ring {
	struct wcm_record *next; /* is written here */
	struct wcm_record *end;  /* wcm__ring_turn() is asked at this one */
	struct wcm_window now;
	struct wcm_window ready; /* the next, once STATE says so */
	struct wcm_window done;  /* the last, to be unmapped */
	uint32_t state;          /* enum wcm_ring_state */
	int pid, tid;            /* whose it is */
	uint64_t lost;
};

/* Who may use the windows: the thread; in BUSY, whoever makes READY; in CLOSED,
 * nobody. */
enum wcm_ring_state {
	WCM_RING_IDLE,
	WCM_RING_WANTED,
	WCM_RING_BUSY,
	WCM_RING_READY,
	WCM_RING_TURNING,
	WCM_RING_CLOSED,
};

/* Begin RING for thread TID of process PID, behind what the thread's file has
 * already; *OPEN is how many calls were left open there.  False: no room. */
bool wcm__ring_begin(struct wcm_ring *ring, int pid, int tid, uint32_t *open);

/* The file ends behind the last record from now on.  The thread may still be
 * writing: what it writes is lost. */
void wcm__ring_end(struct wcm_ring *ring);

/* Cut off what is no record from the end of thread TID's file, which nobody writes
 * to any more. */
void wcm__ring_trim(int tid);

/* Leave the file as it is: the thread is no more, and another has its number. */
void wcm__ring_abandon(struct wcm_ring *ring);

/* Forget RING: it is that of a thread of the parent. */
void wcm__ring_disown(struct wcm_ring *ring);

/* The record that stands at the end.  False: it is lost, and counted. */
bool wcm__ring_turn(struct wcm_ring *ring, uint64_t time, uint64_t bits);

/* Make RING's next window ready, if it is wanted; it still is where that is not possible.
 * Returns 0 or a negated errno. */
int wcm__ring_prepare(struct wcm_ring *ring);

static inline bool wcm__ring_put(struct wcm_ring *ring, uint64_t time, uint64_t bits)
{
	struct wcm_record *record = ring->next;

	if (__builtin_expect(record == ring->end, 0))
		return wcm__ring_turn(ring, time, bits);
	record->time = time;
	__atomic_store_n(&record->bits, bits, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->next, record + 1, __ATOMIC_RELEASE);
	return true;
}

#endif
