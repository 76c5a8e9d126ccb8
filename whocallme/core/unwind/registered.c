/* SPDX-License-Identifier: MIT */
/* registered.c - the frame descriptions that a run-time has registered with libgcc for code that
 * it has made.
 *
 * libgcc keeps to itself what __register_frame() was given; watch/register_frame.c notes it here.
 * The tables are the program's, in memory that may be freed or written anew at any time, so that
 * every read of them is one that cannot fault, and no rule of theirs is remembered.  The code that
 * a table describes is found out when a walk first asks, and kept with the table's number: a slot
 * that is used again has another.  Without a lock: a thread that is stopped in the middle, or dies
 * there, keeps nobody waiting.
 */
#include "core/unwind/registered.h"

#include "core/cfi/fde.h"
#include "core/os/memory.h"
#include "core/os/read.h"

enum {
	SLOTS = 1 << 16,
	MOST_BYTES = 1 << 26, /* of a table, from its CIEs on */
	MOST_ENTRIES = 1 << 17,
	MOST_TABLES = 1 << 12, /* of a list */
};

/* Code from LO to HI, in a table that ends at END. */
struct range {
	uintptr_t lo, hi, end;
};

/* BUSY while someone writes RANGE, which is that of table NUMBER. */
struct slot {
	uintptr_t begin; /* 0: free; 1: being filled in */
	bool is_list, busy;
	uint32_t number, ranged;
	struct range range;
};

static struct slot *slots; /* SLOTS of them */
static size_t used;        /* no slot from here on has ever been used */
static size_t freed;       /* no slot below is free */
static uint32_t numbers;

/* The pages of slots that nobody has used take no memory. */
static struct slot *get_slots(void)
{
	struct slot *known = __atomic_load_n(&slots, __ATOMIC_ACQUIRE), *mapped;

	if (known)
		return known;
	mapped = wcm__map_sparse(SLOTS * sizeof(*mapped));
	if (!mapped || __atomic_compare_exchange_n(&slots, &known, mapped, false, __ATOMIC_ACQ_REL,
						   __ATOMIC_ACQUIRE))
		return mapped;
	wcm__unmap(mapped, SLOTS * sizeof(*mapped));
	return known;
}

static bool claim(struct slot *slot)
{
	uintptr_t free = 0;

	return __atomic_load_n(&slot->begin, __ATOMIC_RELAXED) == 0 &&
	       __atomic_compare_exchange_n(&slot->begin, &free, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static void raise_used(size_t to)
{
	size_t now = __atomic_load_n(&used, __ATOMIC_RELAXED);

	while (now < to && !__atomic_compare_exchange_n(&used, &now, to, true, __ATOMIC_RELEASE,
							__ATOMIC_RELAXED))
		;
}

void wcm__registered_add(uintptr_t begin, bool is_list)
{
	struct slot *all = get_slots();
	size_t i = __atomic_load_n(&freed, __ATOMIC_RELAXED);

	for (; all && begin > 1 && i < SLOTS; i++)
		if (claim(&all[i])) {
			all[i].is_list = is_list;
			all[i].number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
			__atomic_store_n(&all[i].begin, begin, __ATOMIC_RELEASE);
			raise_used(i + 1);
			__atomic_store_n(&freed, i + 1, __ATOMIC_RELAXED);
			return;
		}
}

void wcm__registered_remove(uintptr_t begin)
{
	const size_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
	uintptr_t there;

	for (size_t i = 0; i < count && begin > 1; i++) {
		there = begin;
		if (!__atomic_compare_exchange_n(&slots[i].begin, &there, 0, false,
						 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			continue;
		if (i < __atomic_load_n(&freed, __ATOMIC_RELAXED))
			__atomic_store_n(&freed, i, __ATOMIC_RELAXED);
		return;
	}
}

/* Compilers put CIEs in front; who registers each FDE for itself has them there, too. */
static struct wcm_unwind_table table_at(uintptr_t begin, uintptr_t end)
{
	return (struct wcm_unwind_table){
		.frames = begin,
		.lo = begin > MOST_BYTES ? begin - MOST_BYTES : 1,
		.hi = end,
	};
}

static uintptr_t farthest(uintptr_t begin)
{
	return begin < UINTPTR_MAX - MOST_BYTES ? begin + MOST_BYTES : UINTPTR_MAX;
}

/* The code that the table at BEGIN describes, which may be none. */
static struct range range_of(uintptr_t begin)
{
	const struct wcm_unwind_table table = table_at(begin, farthest(begin));
	struct range range = { UINTPTR_MAX, 0, begin };
	struct wcm_fde fde;

	for (unsigned i = 0; i < MOST_ENTRIES && wcm__fde_next(&fde, &range.end, &table); i++) {
		if (fde.start >= fde.end)
			continue;
		if (fde.start < range.lo)
			range.lo = fde.start;
		if (fde.end > range.hi)
			range.hi = fde.end;
	}
	return range;
}

static bool has(const struct range *range, uintptr_t pc)
{
	return pc >= range->lo && pc < range->hi;
}

/* False: SLOT's is not known, or is being written. */
static bool get_range(struct range *range, const struct slot *slot, uint32_t number)
{
	if (__atomic_load_n(&slot->busy, __ATOMIC_ACQUIRE) ||
	    __atomic_load_n(&slot->ranged, __ATOMIC_ACQUIRE) != number)
		return false;
	*range = slot->range;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !__atomic_load_n(&slot->busy, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&slot->ranged, __ATOMIC_RELAXED) == number;
}

/* Unless someone else does: then the next walk finds it out again. */
static void keep_range(const struct range *range, struct slot *slot, uint32_t number)
{
	if (range->hi == 0 || __atomic_exchange_n(&slot->busy, true, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&slot->ranged, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	slot->range = *range;
	__atomic_store_n(&slot->ranged, number, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->busy, false, __ATOMIC_RELEASE);
}

static bool find_in_table(struct wcm_unwind_table *table, uintptr_t pc, struct slot *slot,
			  uintptr_t begin, uint32_t number)
{
	struct range range;

	if (!get_range(&range, slot, number)) {
		range = range_of(begin);
		keep_range(&range, slot, number);
	}
	*table = table_at(begin, range.end);
	return has(&range, pc);
}

static bool find_in_list(struct wcm_unwind_table *table, uintptr_t pc, uintptr_t at)
{
	uintptr_t begin;

	for (unsigned i = 0; i < MOST_TABLES; i++, at += sizeof(begin)) {
		struct range range;

		if (!wcm__read_memory(at, &begin, sizeof(begin)) || begin == 0)
			return false;
		range = range_of(begin);
		*table = table_at(begin, range.end);
		if (has(&range, pc))
			return true;
	}
	return false;
}

bool wcm__registered_find(struct wcm_unwind_table *table, uintptr_t pc, size_t *slot)
{
	const size_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);

	while (*slot < count) {
		struct slot *at = &slots[(*slot)++];
		const uintptr_t begin = __atomic_load_n(&at->begin, __ATOMIC_ACQUIRE);

		if (begin > 1 && (at->is_list ? find_in_list(table, pc, begin)
					      : find_in_table(table, pc, at, begin, at->number)))
			return true;
	}
	return false;
}
