/* SPDX-License-Identifier: MIT */
/* ring.h (SAFE) - writes a thread's records straight into its file.
 *
 * The part of the file being filled is mapped: what has been stored is in the recording
 * however the process ends, and putting a record is two stores.  The next part is made
 * ready off the hot path; a thread that needs it earlier makes it itself, and waits rather
 * than loses records.  No descriptor stays open, so none can be closed, reused or inherited.
 */
#ifndef WCM_RECORD_RING_H
#define WCM_RECORD_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/uftrace.h"

/* A part of a file, mapped. */
struct wcm_window {
	char *at; /* NULL: there is none */
	size_t size;
	uint64_t offset; /* in the file */
	uint32_t fresh;  /* bytes at its end that the window before has not */
};

struct wcm_ring {
	struct wcm_record *next; /* is written here */
	struct wcm_record *end;  /* wcm__ring_turn() is asked where one would begin here
				  * or behind */
	struct wcm_window now;
	struct wcm_window ready; /* the next, once STATE says so */
	struct wcm_window done;  /* the last, to be unmapped */
	uint32_t state;          /* enum wcm_ring_state */
	int pid, tid;            /* whose it is */
	uint64_t before;         /* the time of the last record that its file had */
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

/* The thread is about to run another program, which goes on behind its records. */
void wcm__ring_note_end(const struct wcm_ring *ring);

/* Cut off what is no record from the end of thread TID's file, which nobody writes
 * to any more. */
void wcm__ring_trim(int tid);

/* Leave the file as it is: the thread is no more, and another has its number.  What is put from
 * now on is lost. */
void wcm__ring_abandon(struct wcm_ring *ring);

/* The same of a thread that has ended, where another task has gone on in its file. */
void wcm__ring_check_file(struct wcm_ring *ring);

/* Forget RING: it is that of a thread of the parent. */
void wcm__ring_disown(struct wcm_ring *ring);

/* The record that stands at the end.  False: it is lost, and counted. */
bool wcm__ring_turn(struct wcm_ring *ring, uint64_t time, uint64_t bits);

/* Put a record with COUNT words of data behind it, WCM_RECORD_MOST_DATA at most: what is missing
 * for that is made. */
bool wcm__ring_put_data(struct wcm_ring *ring, uint64_t time, uint64_t bits,
			const uint64_t *data, size_t count);

/* Make RING's next window ready, if it is wanted; it still is where that is not possible.
 * Returns 0 or a negated errno. */
int wcm__ring_prepare(struct wcm_ring *ring);

/* Whether the next record is put by two stores. */
static inline bool wcm__ring_has_room(const struct wcm_ring *ring)
{
	return ring->next < ring->end;
}

/* Put it, where there is room. */
static inline void wcm__ring_append(struct wcm_ring *ring, uint64_t time, uint64_t bits)
{
	struct wcm_record *record = ring->next;

	record->time = time;
	__atomic_store_n(&record->bits, bits, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->next, record + 1, __ATOMIC_RELEASE);
}

/* As wcm__ring_put_data(), where there is room at once; false: there is not. */
static inline bool wcm__ring_append_data(struct wcm_ring *ring, uint64_t time, uint64_t bits,
					 const uint64_t *data, size_t count)
{
	struct wcm_record *record = ring->next;
	uint64_t *to = (uint64_t *)(record + 1);

	if ((size_t)((const char *)ring->end - (const char *)record) <
		    sizeof(*record) + count * sizeof(*data) ||
	    record >= ring->end)
		return false;
	record->time = time;
	__atomic_store_n(&record->bits, bits, __ATOMIC_RELEASE);
	for (size_t i = 0; i < count; i++) /* by no function of libc's */
		__atomic_store_n(&to[i], data[i], __ATOMIC_RELAXED);
	__atomic_store_n(&ring->next, (struct wcm_record *)(to + count), __ATOMIC_RELEASE);
	return true;
}

static inline bool wcm__ring_put(struct wcm_ring *ring, uint64_t time, uint64_t bits)
{
	if (__builtin_expect(!wcm__ring_has_room(ring), 0))
		return wcm__ring_turn(ring, time, bits);
	wcm__ring_append(ring, time, bits);
	return true;
}

#endif
