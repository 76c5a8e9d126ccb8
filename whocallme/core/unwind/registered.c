/* SPDX-License-Identifier: MIT */
/* registered.c (SAFE) - keeps the frame descriptions that a run-time has registered with libgcc.
 *
 * libgcc keeps to itself what __register_frame() was given; watch/register_frame.c notes it here.
 * The tables are the program's, in memory that may be freed or written anew at any time, so that
 * every read of them is one that cannot fault, and no rule of theirs is remembered.  The code that
 * a table describes, and an index of its FDEs, are found out when a walk first asks.
 *
 * Without a lock: a thread that is stopped in the middle, or dies there, keeps nobody waiting, and
 * a handler may walk wherever it interrupts.  A slot's NUMBER changes only while its BEGIN is 0,
 * and a reader loads NUMBER first: with a NUMBER it finds the BEGIN of the same table or of a later
 * one, never of an earlier one.  What it finds out is kept with that NUMBER, so that a table never
 * gets what one before it has described.
 *
 * All indexes are parts of one ring, so that they take bounded memory and none is ever freed; one
 * that newer ones have overwritten is made again.  A reader that is slower than a round of the
 * ring reads pairs of others: each leads to an FDE that is read and checked, or to nothing.
 */
#include "core/unwind/registered.h"

#include "core/cfi/fde.h"
#include "core/os/memory.h"
#include "core/os/read.h"

enum {
	SLOTS = 1 << 16,
	CHANGES = 2 * SLOTS, /* one change, in the word for the free slots */
	MOST_BYTES = 1 << 26, /* of a table, from its CIEs on */
	MOST_ENTRIES = 1 << 17, /* of a table, or of all of a list's */
	MOST_TABLES = 1 << 12, /* of a list */
	RING = 4 * MOST_ENTRIES,
	HINT_BITS = 17,
	HINTS = 1 << HINT_BITS,
	WINDOW = 16, /* of hints */
	IS_LIST = 1, /* in a number: each table's is 2 above that of the one before it */
};

/* Code from LO to HI, in tables from BEGIN to END: PAIRS of the ring, from FIRST on. */
struct described {
	uintptr_t lo, hi, begin, end;
	size_t first, pairs;
};

/* BUSY while someone writes DESCRIBED, which is that of table KNOWN. */
struct slot {
	uintptr_t begin; /* 0: free, or being filled in */
	uint32_t number, known, next;
	bool busy;
	struct described described;
};

struct registry {
	struct slot slot[SLOTS];
	struct wcm_fde_pair ring[RING + MOST_ENTRIES]; /* no index is cut in two */
	uint16_t hint[HINTS]; /* slots, by the addresses of their tables */
};

static struct registry *registry;
static size_t used;       /* no slot from here on has ever been used */
static uint64_t free_slots; /* the first one, and 1, or 0; above, how many CHANGES */
static size_t head;       /* of the ring, in pairs, all rounds counted */

/* The pages that nobody has used take no memory. */
static struct registry *get_registry(void)
{
	struct registry *known = __atomic_load_n(&registry, __ATOMIC_ACQUIRE), *mapped;

	if (known)
		return known;
	mapped = wcm__map_sparse(sizeof(*mapped));
	if (!mapped || __atomic_compare_exchange_n(&registry, &known, mapped, false,
						   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mapped;
	wcm__unmap(mapped, sizeof(*mapped));
	return known;
}

static uintptr_t begin_of(size_t slot)
{
	return __atomic_load_n(&registry->slot[slot].begin, __ATOMIC_RELAXED);
}

/* The free slot that was left last, else one that nobody has used; SLOTS: there is none.  The
 * list's CHANGES tell a thread that is slow that it has become another one, with the same first
 * slot and another second one. */
static size_t take_slot(void)
{
	uint64_t list = __atomic_load_n(&free_slots, __ATOMIC_ACQUIRE);
	size_t slot, next;

	while (list % CHANGES != 0) {
		slot = (size_t)(list % CHANGES) - 1;
		next = __atomic_load_n(&registry->slot[slot].next, __ATOMIC_RELAXED);
		if (__atomic_compare_exchange_n(&free_slots, &list,
						list - list % CHANGES + CHANGES + next, true,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
			return slot;
	}
	slot = __atomic_load_n(&used, __ATOMIC_RELAXED);
	while (slot < SLOTS && !__atomic_compare_exchange_n(&used, &slot, slot + 1, true,
							    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return slot;
}

/* If the table at BEGIN is in it. */
static bool leave_slot(size_t slot, uintptr_t begin)
{
	uint64_t list = __atomic_load_n(&free_slots, __ATOMIC_RELAXED);

	if (begin_of(slot) != begin ||
	    !__atomic_compare_exchange_n(&registry->slot[slot].begin, &begin, 0, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	do
		__atomic_store_n(&registry->slot[slot].next, (uint32_t)(list % CHANGES),
				 __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&free_slots, &list,
					    list - list % CHANGES + CHANGES + slot + 1, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	return true;
}

/* By 2^64 divided by the golden ratio: the upper bits differ where addresses do. */
static size_t home_of(uintptr_t begin)
{
	return (size_t)(begin * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HINT_BITS));
}

static uint16_t *hint_at(size_t place)
{
	return &registry->hint[place % HINTS];
}

/* Whether the table at BEGIN is looked for at PLACE. */
static bool is_wanted(size_t place, uintptr_t begin)
{
	return begin != 0 && (place - home_of(begin)) % HINTS < WINDOW;
}

/* Where all places for BEGIN are wanted for other tables, or another thread takes the same one,
 * SLOT is searched for when the table goes. */
static void set_hint(uintptr_t begin, size_t slot)
{
	for (size_t place = home_of(begin), i = 0; i < WINDOW; i++, place++) {
		const size_t other = __atomic_load_n(hint_at(place), __ATOMIC_RELAXED);

		if (other == slot || !is_wanted(place, begin_of(other))) {
			__atomic_store_n(hint_at(place), (uint16_t)slot, __ATOMIC_RELAXED);
			return;
		}
	}
}

void wcm__registered_add(uintptr_t begin, bool is_list)
{
	struct slot *slot;
	size_t i;

	if (begin == 0 || !get_registry() || (i = take_slot()) == SLOTS)
		return;
	slot = &registry->slot[i];
	__atomic_store_n(&slot->number, (slot->number & ~(uint32_t)IS_LIST) + 2 + is_list,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&slot->begin, begin, __ATOMIC_RELEASE);
	set_hint(begin, i);
}

void wcm__registered_remove(uintptr_t begin)
{
	size_t slot = __atomic_load_n(&used, __ATOMIC_ACQUIRE), home = home_of(begin);

	if (begin == 0 || slot == 0)
		return;
	for (size_t i = 0; i < WINDOW; i++)
		if (leave_slot(__atomic_load_n(hint_at(home + i), __ATOMIC_RELAXED), begin))
			return;
	while (slot-- > 0)
		if (leave_slot(slot, begin))
			return;
}

static uintptr_t least_of(uintptr_t begin)
{
	return begin > MOST_BYTES ? begin - MOST_BYTES : 1;
}

/* Compilers put CIEs in front; who registers each FDE for itself has them there, too. */
static struct wcm_unwind_table table_at(uintptr_t begin)
{
	return (struct wcm_unwind_table){
		.frames = begin,
		.lo = least_of(begin),
		.hi = begin < UINTPTR_MAX - MOST_BYTES ? begin + MOST_BYTES : UINTPTR_MAX,
	};
}

/* Add the table at BEGIN. */
static void list_table(struct wcm_fde_list *list, struct described *described, uintptr_t begin)
{
	const struct wcm_unwind_table table = table_at(begin);
	const uintptr_t end = wcm__fde_list(list, &table);

	if (begin < described->begin)
		described->begin = begin;
	if (end > described->end)
		described->end = end;
}

static void list_all(struct wcm_fde_list *list, struct described *described, uintptr_t at)
{
	uintptr_t begin;

	for (unsigned i = 0; i < MOST_TABLES && wcm__read_memory(at, &begin, sizeof(begin)) &&
			     begin != 0;
	     i++, at += sizeof(begin))
		list_table(list, described, begin);
}

static struct wcm_fde_pair *pairs_at(size_t first)
{
	return &registry->ring[first % RING];
}

/* Whether nothing has been written over it. */
static bool is_in_ring(const struct described *described)
{
	return __atomic_load_n(&head, __ATOMIC_ACQUIRE) - described->first <= RING;
}

/* What the table or list at BEGIN describes, which may be nothing.  The room that it does not
 * need is given back, unless someone has taken more meanwhile. */
static struct described describe(uintptr_t begin, uint32_t number)
{
	struct described described = {
		.begin = UINTPTR_MAX,
		.first = __atomic_fetch_add(&head, MOST_ENTRIES, __ATOMIC_ACQ_REL),
	};
	struct wcm_fde_list list = { .pair = pairs_at(described.first),
				     .entries = MOST_ENTRIES, .hi = UINTPTR_MAX };
	size_t reserved = described.first + MOST_ENTRIES;

	if (number & IS_LIST)
		list_all(&list, &described, begin);
	else
		list_table(&list, &described, begin);
	wcm__fde_list_sort(&list);
	described.lo = list.count > 0 ? list.pair[0].start : 0;
	described.hi = list.code_end;
	described.pairs = list.count;
	__atomic_compare_exchange_n(&head, &reserved, described.first + list.count, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return described;
}

static bool has(const struct described *described, uintptr_t pc)
{
	return pc >= described->lo && pc < described->hi;
}

/* False: SLOT's is not known, or is being written. */
static bool get_known(struct described *described, const struct slot *slot, uint32_t number)
{
	if (__atomic_load_n(&slot->busy, __ATOMIC_ACQUIRE) ||
	    __atomic_load_n(&slot->known, __ATOMIC_ACQUIRE) != number)
		return false;
	*described = slot->described;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !__atomic_load_n(&slot->busy, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&slot->known, __ATOMIC_RELAXED) == number;
}

/* Unless someone else does, or others have written over it already, who may have been quicker than
 * its reading: then the next walk finds it out again. */
static void keep(const struct described *described, struct slot *slot, uint32_t number)
{
	if (described->hi == 0 || !is_in_ring(described) ||
	    __atomic_exchange_n(&slot->busy, true, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&slot->known, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	slot->described = *described;
	__atomic_store_n(&slot->known, number, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->busy, false, __ATOMIC_RELEASE);
}

static bool find_in(struct wcm_unwind_table *table, uintptr_t pc, struct slot *slot)
{
	const uint32_t number = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE);
	const uintptr_t begin = __atomic_load_n(&slot->begin, __ATOMIC_ACQUIRE);
	struct described described;

	if (begin == 0)
		return false;
	if (!get_known(&described, slot, number) ||
	    (has(&described, pc) && !is_in_ring(&described))) {
		described = describe(begin, number);
		keep(&described, slot, number);
	}
	*table = (struct wcm_unwind_table){
		.frames = described.begin, .lo = least_of(described.begin), .hi = described.end,
		.index = pairs_at(described.first), .indexed = described.pairs,
	};
	return has(&described, pc);
}

bool wcm__registered_find(struct wcm_unwind_table *table, uintptr_t pc, size_t *slot)
{
	const size_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);

	while (*slot < count)
		if (find_in(table, pc, &registry->slot[(*slot)++]))
			return true;
	return false;
}
