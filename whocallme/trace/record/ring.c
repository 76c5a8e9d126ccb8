/* SPDX-License-Identifier: MIT */
/* ring.c (SAFE) - writes a thread's records straight into its file.
 *
 * A thread fills one mapped window of the file while another thread makes the next one
 * ready.  The state word says who may use the windows: whoever moves it to BUSY, TURNING
 * or CLOSED has them until it stores the next state.  A thread may die with them, so that
 * nobody waits for that without end.
 *
 *	IDLE     the thread fills the first half of its window
 *	WANTED   it has passed the middle: somebody is to make the next window
 *	BUSY     somebody makes it
 *	READY    it is made, and the thread will take it at its window's end
 *	TURNING  the thread takes it
 *	CLOSED   the file has ended, or is another's
 *
 * The file is always whole: records are appended, and what follows the last is zero,
 * which is no record.  Data behind a record are whole words, so that a record may begin in the
 * middle of another's place.  A window begins with the last page of the one before: what
 * would not fit into that is written in one piece here.  A file that many processes write at once
 * is log/mapped_window.c's.
 */
#include "trace/record/ring.h"

#include <errno.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/os/file.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "trace/engine/aside.h"
#include "trace/engine/tracer_life.h"
#include "trace/record/prefault.h"
#include "trace/record/record_files.h"
#include "trace/record/ring_end.h"

enum { POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE, of Linux 5.14 */
enum { LEAST = 64 << 10, PIECE = 32 << 10, MOST_TURNS = 100 };

/* Who may touch what: NEXT, END and NOW are the thread's, but that another thread may read NEXT,
 * and in CLOSED put other memory at NOW.  READY and DONE are of whoever has the state. */

/* What would begin here, or behind it, waits for another window: the room of a record is kept free
 * for the number of those that are lost if there never is one.  All begin at whole words, and this
 * is one before the last record that would fit. */
static struct wcm_record *last_of(const struct wcm_window *window)
{
	return (struct wcm_record *)(window->at + window->size - sizeof(struct wcm_record) -
				     sizeof(uint64_t));
}

/* Forgotten first: a child of fork(2) that begins in between would take for the window what the
 * parent has mapped in its place, and unmap it. */
static void unmap(struct wcm_window *window)
{
	char *at = __atomic_exchange_n(&window->at, NULL, __ATOMIC_ACQ_REL);

	if (at)
		wcm__unmap(at, window->size);
}

/* Storing to a page that has no room on its device would kill the program; so there
 * are zeros before there is a page.  A file system makes pages of what is written at
 * once several times faster than of the faults of a mapping.  Larger
 * pieces are faster alone, but memory for them is more often slow to come by: see
 * doc/PERFORMANCE.md. */
static long reserve(int fd, uint64_t offset, uint64_t end)
{
	static char zero[PIECE]; /* never written to: it takes no memory */

	while (offset < end) {
		const uint64_t size = end - offset < PIECE ? end - offset : PIECE;
		long result = wcm__pwrite(fd, zero, size, offset);

		if (result <= 0)
			return result < 0 ? result : -ENOSPC;
		offset += (uint64_t)result;
	}
	return 0;
}

/* Map WINDOW of FD, and have there be zeros from OFFSET on.  Nothing is written where there is no
 * memory, which each event of the thread may find out.  The descriptor is not needed for
 * the mapping to stay, so that none is left open for the program to close, inherit or reuse. */
static long map(struct wcm_window *window, int fd, uint64_t offset)
{
	const long mapped = wcm__mmap(NULL, window->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				      window->offset);
	long result;

	if (wcm__is_error(mapped))
		return mapped;
	result = reserve(fd, offset, window->offset + window->size);
	if (result < 0) {
		wcm__unmap((void *)mapped, window->size);
		return result;
	}
	window->at = (char *)mapped;
	return 0;
}

/* Make WINDOW what follows BEFORE in the file of thread TID.  Returns 0 or a negated
 * errno. */
static long make(struct wcm_window *window, const struct wcm_window *before, int tid)
{
	int fd = wcm__recording_open_records(tid, O_RDWR);
	long result = fd;

	/* A thread that records much gets larger windows, and so fewer system calls; one that
	 * records little leaves a small file. */
	window->fresh = 2 * before->fresh < wcm__recording.most ? 2 * before->fresh :
								   wcm__recording.most;
	window->size = WCM_LARGEST_PAGE + window->fresh;
	window->offset = before->offset + before->size - WCM_LARGEST_PAGE;
	if (fd >= 0) {
		result = map(window, fd, window->offset + WCM_LARGEST_PAGE);
		wcm__close(fd);
	}
	return result;
}

/* Half of the first window tells whether the thread will need another.  Most threads of
 * most programs do not, and their files stay small. */
static struct wcm_record *half_of(const struct wcm_window *window)
{
	return (struct wcm_record *)(window->at + window->size / 2);
}

/* The bytes from NEXT to where no window is. */
static size_t room_of(const struct wcm_ring *ring)
{
	return (size_t)(ring->now.at + ring->now.size - (const char *)ring->next);
}

/* A thread may have a file already: of the program before an exec, or of one whose number
 * has come again.  Mappings begin with a page, so that the first window begins with the
 * page that the last records are in. */
bool wcm__ring_begin(struct wcm_ring *ring, int pid, int tid, uint32_t *open)
{
	int fd = wcm__recording_open_records(tid, O_RDWR | O_CREAT);
	long result = fd;
	uint64_t end = 0;

	memset(ring, 0, sizeof(*ring));
	ring->pid = pid;
	ring->tid = tid;
	if (fd >= 0) {
		const int64_t size = wcm__lseek(fd, 0, SEEK_END);

		end = size > 0 ? wcm__ring_find_end(fd, tid, (uint64_t)size) : 0;
		*open = wcm__ring_count_open(fd, end, &ring->before);
		ring->now.offset = end & ~(uint64_t)(WCM_LARGEST_PAGE - 1);
		ring->now.size = ring->now.fresh = LEAST;
		result = map(&ring->now, fd, end);
		wcm__close(fd);
	}
	if (result == -ENOMEM)
		return wcm__tracers_starve();
	if (result < 0) {
		wcm__recording_fail((int)result);
		return false;
	}
	ring->next = (struct wcm_record *)(ring->now.at + end % WCM_LARGEST_PAGE);
	ring->end = half_of(&ring->now);
	return true;
}

/* Have nobody make or change windows from now on.  False where they are closed already, or
 * the thread that has them has not given them back for long. */
static bool close_ring(struct wcm_ring *ring)
{
	uint32_t state = __atomic_load_n(&ring->state, __ATOMIC_ACQUIRE);

	for (int turns = 0; turns < MOST_TURNS;) {
		if (state == WCM_RING_CLOSED)
			return false;
		/* MOST_TURNS tenths of a second at most: who has the windows may be dead. */
		if (state == WCM_RING_BUSY || state == WCM_RING_TURNING) {
			wcm__prefault_await(&ring->state, state);
			turns++;
			state = __atomic_load_n(&ring->state, __ATOMIC_ACQUIRE);
		} else if (__atomic_compare_exchange_n(
				   &ring->state, &state, WCM_RING_CLOSED, false,
				   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			return true;
		}
	}
	return false;
}

/* Stores beyond a file's end would kill the program; so the window is other memory before its
 * pages are cut off.  The owner may be amid wcm__ring_put() meanwhile.  Its stores go to the
 * file before the new mapping replaces the old one, and to memory that nobody reads after it;
 * MAP_FIXED does so at once, without a moment in which a store would fault. */
static void detach(const struct wcm_window *window)
{
	wcm__mmap(window->at, window->size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* The ends of the calls that the thread has left open may still be put. */
void wcm__ring_abandon(struct wcm_ring *ring)
{
	if (close_ring(ring) && ring->now.at)
		detach(&ring->now);
}

/* Whether another task has written behind RING's last record, or has cut its zeros off.  The
 * window may be beyond the file's end, so that the file is read. */
static bool is_anothers(const struct wcm_ring *ring)
{
	const int fd = wcm__recording_open_records(ring->tid, O_RDONLY);
	const uint64_t lost = wcm__record_bits(WCM_RECORD_LOST, 0, ring->lost);
	const uint64_t in_window = (uint64_t)((const char *)ring->next - ring->now.at);
	struct wcm_record behind = { 0 };
	int64_t size;

	if (fd < 0)
		return false;
	size = wcm__lseek(fd, 0, SEEK_END);
	wcm__pread(fd, &behind, sizeof(behind), ring->now.offset + in_window);
	wcm__close(fd);
	if (size < (int64_t)(ring->now.offset + ring->now.size))
		return true;
	return (behind.time | behind.bits) != 0 && (ring->lost == 0 || behind.bits != lost);
}

void wcm__ring_check_file(struct wcm_ring *ring)
{
	if (ring->now.at && is_anothers(ring))
		wcm__ring_abandon(ring);
}

void wcm__ring_end(struct wcm_ring *ring)
{
	const struct wcm_record *next;
	uint64_t end;
	int fd;

	if (!ring->now.at || !close_ring(ring))
		return;
	next = __atomic_load_n(&ring->next, __ATOMIC_ACQUIRE);
	detach(&ring->now);
	fd = wcm__recording_open_records(ring->tid, O_RDWR);
	if (fd < 0)
		return;
	end = wcm__ring_find_more(fd, ring->now.offset +
					      (uint64_t)((const char *)next - ring->now.at));
	wcm__ftruncate(fd, end);
	/* Its size does not say that it was ended. */
	if (wcm__recording.has_data && end % WCM_LARGEST_PAGE == 0)
		wcm__recording_note_end(ring->tid, end);
	wcm__close(fd);
}

/* The last word of a record without data is never zero. */
void wcm__ring_note_end(const struct wcm_ring *ring)
{
	const uint64_t *next = (const uint64_t *)ring->next;

	if (ring->now.at && (const char *)next > ring->now.at && next[-1] == 0)
		wcm__recording_note_end(ring->tid, ring->now.offset +
						   (uint64_t)((const char *)next - ring->now.at));
}

void wcm__ring_trim(int tid)
{
	int fd = wcm__recording_open_records(tid, O_RDWR);
	int64_t size;

	if (fd < 0)
		return;
	size = wcm__lseek(fd, 0, SEEK_END);
	if (size > 0)
		wcm__ftruncate(fd, wcm__ring_find_cut(fd, tid, (uint64_t)size));
	wcm__close(fd);
}

/* Lets the windows go and leaves the file alone: in a child of fork(2) they are the parent's.  In
 * TURNING their words are half moved: they stay, rather than that others go. */
void wcm__ring_disown(struct wcm_ring *ring)
{
	if (ring->state == WCM_RING_TURNING)
		ring->now.at = ring->ready.at = ring->done.at = NULL;
	unmap(&ring->now);
	unmap(&ring->ready);
	unmap(&ring->done);
}

/* The prefault thread and the ring's own may both come: the exchange lets one in.  Only where
 * the first has failed is the state WANTED again. */
int wcm__ring_prepare(struct wcm_ring *ring)
{
	uint32_t wanted = WCM_RING_WANTED;
	long result;

	if (!__atomic_compare_exchange_n(&ring->state, &wanted, WCM_RING_BUSY, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return 0;
	unmap(&ring->done);
	result = make(&ring->ready, &ring->now, ring->tid);
	if (result >= 0)
		wcm__madvise(ring->ready.at, ring->ready.size, POPULATE_WRITE);
	__atomic_store_n(&ring->state, result < 0 ? WCM_RING_WANTED : WCM_RING_READY,
			 __ATOMIC_RELEASE);
	wcm__prefault_tell(&ring->state);
	return result < 0 ? (int)result : 0;
}

/* Have READY be the next window, made by whoever comes first, and nobody but the thread use it.
 * READY may be CLOSED at any moment by another thread that ends the trace; whoever moves the
 * state has the window. */
static bool take_ready(struct wcm_ring *ring)
{
	uint32_t state;

	do {
		const int error = wcm__ring_prepare(ring);

		if (error < 0) {
			wcm__recording_fail(error);
			return false;
		}
		state = __atomic_load_n(&ring->state, __ATOMIC_ACQUIRE);
		if (state == WCM_RING_BUSY)
			wcm__prefault_await(&ring->state, state);
	} while (state == WCM_RING_BUSY || state == WCM_RING_WANTED);
	return state == WCM_RING_READY &&
	       __atomic_compare_exchange_n(&ring->state, &state,
					   WCM_RING_TURNING, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* What stands last in the window says how many were lost, and since when.  Written anew with each
 * loss, so that the count is right however the process ends. */
static void lose(struct wcm_ring *ring, uint64_t time)
{
	if (ring->lost++ == 0)
		ring->next->time = time;
	ring->next->bits = wcm__record_bits(WCM_RECORD_LOST, 0, ring->lost);
}

/* Have the prefault thread make READY. */
static void ask(struct wcm_ring *ring, uint32_t state)
{
	if (__atomic_compare_exchange_n(&ring->state, &state, WCM_RING_WANTED, false,
					__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		wcm__prefault_wake();
}

/* Go on in READY, which is nobody else's now, at the same place of the file. */
static void swap(struct wcm_ring *ring)
{
	const uint64_t here = ring->now.offset +
			      (uint64_t)((const char *)ring->next - ring->now.at);

	/* In TURNING, where nobody else reads these. */
	ring->done = ring->now;
	ring->now = ring->ready;
	ring->ready.at = NULL;
	ring->end = last_of(&ring->now);
	__atomic_store_n(&ring->next,
			 (struct wcm_record *)(ring->now.at + (here - ring->now.offset)),
			 __ATOMIC_RELEASE);
	ask(ring, WCM_RING_TURNING);
	wcm__prefault_tell(&ring->state);
}

/* Whether SIZE bytes can be put, and the number of lost records behind them. */
static bool fits(const struct wcm_ring *ring, size_t size)
{
	return room_of(ring) >= size + sizeof(struct wcm_record);
}

/* The thread is asked for twice in each window: in its middle, to have the next one made
 * meanwhile, and at its end, to go on in it. */
static bool turn(struct wcm_ring *ring, uint64_t time, size_t size)
{
	if (ring->end != last_of(&ring->now)) {
		ring->end = last_of(&ring->now);
		ask(ring, WCM_RING_IDLE);
	}
	if (fits(ring, size))
		return true;
	if (wcm__recording.failed || !take_ready(ring)) {
		lose(ring, time);
		return false;
	}
	swap(ring);
	return true;
}

struct wanted {
	struct wcm_ring *ring;
	uint64_t time;
	size_t size;
	bool has_room;
};

/* No handler may interrupt the turn: its events would turn the same ring.  SIGXFSZ of a file that
 * may not grow is taken back: the program has not written anything. */
static void turn_masked(void *argument)
{
	struct wanted *wanted = argument;
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL);
	const struct wcm_unheard unheard = wcm__mask_hush();

	wanted->has_room = turn(wanted->ring, wanted->time, wanted->size);
	wcm__mask_hear(unheard, true);
	wcm__mask_set(mask);
}

/* Have SIZE bytes fit, those of a record of TIME.  False: it is lost, and counted. */
static bool make_room(struct wcm_ring *ring, uint64_t time, size_t size)
{
	struct wanted wanted = { ring, time, size, false };

	if (wcm__recording.failed && !fits(ring, size)) {
		lose(ring, time);
		return false;
	}
	wcm__aside(wcm__tracer_own, turn_masked, &wanted);
	return wanted.has_room;
}

bool wcm__ring_turn(struct wcm_ring *ring, uint64_t time, uint64_t bits)
{
	if (!make_room(ring, time, sizeof(struct wcm_record)))
		return false;
	wcm__ring_append(ring, time, bits);
	return true;
}

bool wcm__ring_put_data(struct wcm_ring *ring, uint64_t time, uint64_t bits,
			const uint64_t *data, size_t count)
{
	const size_t size = sizeof(struct wcm_record) + count * sizeof(*data);
	struct wcm_record *record;

	if ((ring->next >= ring->end || !fits(ring, size)) && !make_room(ring, time, size))
		return false;
	record = ring->next;
	record->time = time;
	/* Killed before it has its data, it is one all the same, and these are zero. */
	__atomic_store_n(&record->bits, bits, __ATOMIC_RELEASE);
	memcpy(record + 1, data, count * sizeof(*data));
	__atomic_store_n(&ring->next, (struct wcm_record *)((char *)record + size),
			 __ATOMIC_RELEASE);
	return true;
}
