/* SPDX-License-Identifier: MIT */
/* flight_calls.c (SAFE) - tells of the calls that rings hold: when each was, and how deep.
 *
 * Hooks count open calls, and what left some by longjmp(3) shows by stack pointers.  Sleds
 * tell no exits: a call of theirs is over when another begins whose stack pointer is no
 * lower.  Where arguments are pushed it may be lower all the same, and then what the other
 * returns to says whose call it is.  Depths are relative to the outermost call that is told
 * of, which is found by going through a copy of the ring twice.
 */
#include "trace/flight/flight_calls.h"

#include <stddef.h>

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/unwind/describe.h"
#include "trace/flight/flight_copy.h"

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
	wcm__flight_copy(&copy, ring);
	visit_copy(&copy, time, visit, data);
	wcm__flight_copy_end(&copy);
	return true;
}

const struct wcm_last_calls_keeper wcm__flight_keeper = { now, visit_calls };
