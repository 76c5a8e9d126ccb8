/* SPDX-License-Identifier: MIT */
/* flight_calls.c (SAFE) - tells of the calls that rings hold: when each was, and how deep.
 *
 * Hooks count open calls, and what left some by longjmp(3) shows by stack pointers.  Sleds
 * tell no exits: a call of theirs is over when another begins whose stack pointer is no
 * lower.  Where arguments are pushed it may be lower all the same, and then what the other
 * returns to says whose call it is.  Depths are relative to the outermost call that is told
 * of, which is found by going through a copy of the ring twice.
 */
#include "trace/flight/flight_ring.h"

#include <stddef.h>

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/os/memory.h"
#include "core/unwind/describe.h"

enum { WCM_FLIGHT_SPARE = 32 };

/* Those with the indexes from FROM to END, each at its index & MASK. */
struct wcm_flight_copy {
	struct wcm_flight_entry *entry;
	uint32_t mask, from, end;
	struct wcm_flight_entry spare[WCM_FLIGHT_SPARE]; /* where there is no memory */
};

/* Copies the calls that a ring holds while its thread goes on.
 *
 * The thread overwrites the oldest calls first, and may be as quick as the copy is.  So this
 * begins with the latest, and what the thread has come to meanwhile is given up at the old
 * end: no call is missing in between.  Only one whose note a signal interrupted is, as it has
 * no function yet. */

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

/* Copy the latest calls of RING; flight_copy_end() gives the memory back.  Both are
 * async-signal-safe. */
static void flight_copy(struct wcm_flight_copy *copy, const struct wcm_flight_ring *ring)
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

static void flight_copy_end(struct wcm_flight_copy *copy)
{
	if (copy->entry != copy->spare)
		wcm__unmap(copy->entry, (copy->mask + 1) * sizeof(*copy->entry));
}

/* The counter and the clocks when recording began. */
static uint64_t first_ticks, first_ns, first_wall;
static bool has_times;

void wcm__flight_times_begin(void)
{
	has_times = wcm__arch_ticks_are_steady();
	first_wall = wcm__clock_wall_ns();
	first_ns = wcm__clock_ns();
	first_ticks = wcm__arch_ticks();
}

static uintptr_t (*find_function)(uintptr_t pc);

void wcm__flight_find_by(uintptr_t (*find)(uintptr_t pc))
{
	find_function = find;
}

/* Of one that is gone no more is known than where the call was. */
static uintptr_t function_of(const struct wcm_flight_entry *entry)
{
	uintptr_t func;

	if (entry->depth != WCM_FLIGHT_BY_SP)
		return entry->func;
	func = find_function ? find_function(entry->func) : 0;
	return func ? func : entry->func - 1;
}

/* The function that has called ENTRY's, by its frame description; 0: it is not known. */
static uintptr_t caller_of(const struct wcm_flight_entry *entry)
{
	const uintptr_t returns = wcm__flight_returns(entry);
	struct wcm_description description;
	bool is_known;

	if (returns == 0)
		return 0;
	is_known = wcm__describe(&description, returns - 1, NULL);
	wcm__description_let_go(&description);
	return is_known ? description.fde.start : 0;
}

static uint64_t now(void)
{
	return wcm__arch_ticks();
}

/* Nanoseconds of a tick, times 2^32; 0: that cannot be told. */
static uint64_t rate_now(void)
{
	uint64_t ns = wcm__clock_ns() - first_ns;
	uint64_t ticks = wcm__arch_ticks() - first_ticks;

	for (; ns > UINT32_MAX; ns /= 2)
		ticks /= 2;
	return has_times && ticks > 0 ? (ns << 32) / ticks : 0;
}

/* What is read of a copy, from FROM on. */
struct reading {
	const struct wcm_flight_copy *copy;
	uint32_t from;
};

/* The next one that is whole. */
static bool read_next(struct reading *reading, struct wcm_flight_entry *entry)
{
	const struct wcm_flight_copy *copy = reading->copy;

	while (reading->from != copy->end) {
		*entry = copy->entry[reading->from++ & copy->mask];
		if (entry->number == reading->from)
			return true;
	}
	return false;
}

/* Whether HOOKED is of the call that SLED, in front of it, is of: the function has both. */
static bool is_same_call(const struct wcm_flight_entry *sled,
			 const struct wcm_flight_entry *hooked)
{
	return sled->depth == WCM_FLIGHT_BY_SP && hooked->depth != WCM_FLIGHT_BY_SP &&
	       function_of(sled) == hooked->func;
}

static bool read_call(struct reading *reading, struct wcm_flight_entry *entry)
{
	struct reading ahead;
	struct wcm_flight_entry next;

	if (!read_next(reading, entry))
		return false;
	ahead = *reading;
	if (read_next(&ahead, &next) && is_same_call(entry, &next)) {
		*entry = next;
		*reading = ahead;
	}
	return true;
}

/* The calls that are open, the latest OPEN of them. */
enum { OPEN = 64 };
struct open_call {
	uintptr_t sp, func, caller; /* the latter two where returns are known */
	uint32_t depth;
	int32_t level;
};
struct open_calls {
	struct open_call call[OPEN];
	uint32_t top, count;
};

static const struct open_call *open_at(const struct open_calls *open, uint32_t below)
{
	return &open->call[(open->top - below) % OPEN];
}

/* Whether the call at the top is over as NEXT, whose stack pointer is lower, has been called by
 * a function further out, which is open, or by the one that has called both.  The latter is
 * told of none of its calls, and may have called itself in between, which takes more of the
 * stack than arguments do. */
static bool is_left_to_caller(const struct open_calls *open, const struct open_call *next)
{
	enum { MOST_PUSHED = 128 };
	const struct open_call *top = open_at(open, 0);

	if (next->caller == 0 || next->caller == top->func)
		return false;
	for (uint32_t below = 1; below < open->count; below++)
		if (open_at(open, below)->func == next->caller)
			return true;
	return next->caller == top->caller && top->sp - next->sp <= MOST_PUSHED;
}

/* Whether the call at the top is over when NEXT comes.  What is inlined has the stack pointer
 * of its caller, and is one deeper: if it is more, calls were left by longjmp(3). */
static bool is_over(const struct open_calls *open, const struct open_call *next)
{
	const struct open_call *top = open_at(open, 0);

	if (top->depth == WCM_FLIGHT_BY_SP || next->depth == WCM_FLIGHT_BY_SP)
		return top->sp <= next->sp || is_left_to_caller(open, next);
	return top->sp < next->sp || (int32_t)(top->depth - next->depth) >= 0 ||
	       (top->sp == next->sp && next->depth - top->depth > 1);
}

static struct open_call begun_by(const struct wcm_flight_entry *entry)
{
	struct open_call call = { .sp = wcm__flight_sp(entry), .depth = entry->depth };

	if (WCM_FLIGHT_HAS_RETURNS) {
		call.func = function_of(entry);
		call.caller = caller_of(entry);
	}
	return call;
}

/* The level of ENTRY, relative to the first one's. */
static int32_t open_call(struct open_calls *open, const struct wcm_flight_entry *entry)
{
	struct open_call next = begun_by(entry);

	for (; open->count > 0 && is_over(open, &next); open->count--, open->top--) {
		const struct open_call *top = open_at(open, 0);

		next.level = top->level;
		if (top->depth != WCM_FLIGHT_BY_SP && next.depth != WCM_FLIGHT_BY_SP)
			next.level -= (int32_t)(top->depth - next.depth);
		else if (top->sp < next.sp)
			next.level--;
	}
	if (open->count > 0)
		next.level = open_at(open, 0)->level + 1;
	open->top++;
	if (open->count < OPEN)
		open->count++;
	open->call[open->top % OPEN] = next;
	return next.level;
}

static int32_t lowest_level(struct reading reading)
{
	struct open_calls open = { .count = 0 };
	struct wcm_flight_entry entry;
	int32_t lowest = 0, level;

	while (read_call(&reading, &entry)) {
		level = open_call(&open, &entry);
		if (level < lowest)
			lowest = level;
	}
	return lowest;
}

static int64_t nanoseconds(int64_t ticks, uint64_t rate)
{
	const uint64_t size = ticks < 0 ? -(uint64_t)ticks : (uint64_t)ticks;
	const int64_t ns = (int64_t)wcm__arch_scaled(size, rate);

	return ticks < 0 ? -ns : ns;
}

static void visit_copy(const struct wcm_flight_copy *copy, uint64_t time,
		       wcm_last_call_visitor *visit, void *data)
{
	const uint64_t rate = rate_now();
	struct reading reading = { .copy = copy, .from = copy->from };
	const int32_t lowest = lowest_level(reading);
	struct open_calls open = { .count = 0 };
	struct wcm_flight_entry entry;
	struct wcm_last_call call;
	uint64_t latest = 0;
	int32_t level;

	while (read_call(&reading, &entry)) {
		level = open_call(&open, &entry);
		call = (struct wcm_last_call){
			.address = function_of(&entry),
			.depth = level < lowest ? 0 : (uint32_t)(level - lowest),
			.has_time = rate > 0,
			.before = nanoseconds((int64_t)(time - entry.ticks), rate),
			.since = latest ? nanoseconds((int64_t)(entry.ticks - latest), rate) : 0,
			.wall = first_wall + (uint64_t)nanoseconds(
						     (int64_t)(entry.ticks - first_ticks), rate),
		};
		latest = entry.ticks;
		if (!visit(&call, data))
			break;
	}
}

static bool visit_calls(int tid, uint64_t time, wcm_last_call_visitor *visit, void *data)
{
	const struct wcm_flight_ring *ring = wcm__flight_of(tid);
	struct wcm_flight_copy copy;

	if (!ring)
		return false;
	flight_copy(&copy, ring);
	visit_copy(&copy, time, visit, data);
	flight_copy_end(&copy);
	return true;
}

const struct wcm_last_calls_keeper wcm__flight_keeper = { now, visit_calls };
