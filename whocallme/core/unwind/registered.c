/* SPDX-License-Identifier: MIT */
/* registered.c (SAFE) - keeps the frame descriptions that a run-time has registered with libgcc.
 *
 * libgcc keeps to itself what __register_frame() was given; watch/register_frame.c notes it here.
 * The tables are the program's, in memory that may be freed or written anew at any time, so that
 * every read of them is one that cannot fault, and no rule of theirs is remembered.  The code that
 * a table describes, and an index of its FDEs, are found out when a walk first asks.
 *
 * Without a lock: a thread that is stopped in the middle, or dies there, keeps nobody waiting, and
 * a handler may walk wherever it interrupts.  NUMBER changes only while BEGIN is 1, and a reader
 * loads NUMBER first: with a NUMBER it finds the BEGIN of the same table or of a later one.  What
 * it finds out is kept with that NUMBER, and never taken for an earlier table's.
 *
 * All indexes are parts of one ring, so that they take bounded memory and none is ever freed; one
 * that newer ones have overwritten is made again.  A reader that is slower than a round of the
 * ring reads pairs of others: each leads to an FDE that is read and checked, or to nothing.
 */
#include "core/unwind/registered.h"

#include "core/cfi/fde_list.h"
#include "core/os/memory.h"
#include "core/os/read.h"

enum {
	SLOTS = 1 << 16,
	MOST_BYTES = 1 << 26, /* of a table, from its CIEs on */
	MOST_ENTRIES = 1 << 17, /* of a table, or of all of a list's */
	MOST_TABLES = 1 << 12, /* of a list */
	RING = 4 * MOST_ENTRIES,
	IS_LIST = 1, /* in a number: each table's is 2 above that of the one before it */
};

/* Code from LO to HI, in tables from BEGIN to END: PAIRS of the ring, from FIRST on. */
struct described {
	uintptr_t lo, hi, begin, end;
	size_t first, pairs;
};

/* BUSY while someone writes DESCRIBED, which is that of table KNOWN. */
struct slot {
	uintptr_t begin; /* 0: free; 1: being filled in */
	uint32_t number, known;
	bool busy;
	struct described described;
};

struct registry {
	struct slot slot[SLOTS];
	struct wcm_fde_pair ring[RING + MOST_ENTRIES]; /* no index is cut in two */
};

static struct registry *registry;
static size_t taken;  /* slots */
static size_t used;   /* no slot from here on has ever been used */
static size_t freed;  /* most likely no slot below is free */
static size_t recent; /* the slot that a table came to, or left, last */
static size_t head;   /* of the ring, in pairs, all rounds counted */

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

static bool change_begin(size_t slot, uintptr_t from, uintptr_t to)
{
	return begin_of(slot) == from &&
	       __atomic_compare_exchange_n(&registry->slot[slot].begin, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void raise_used(size_t to)
{
	size_t now = __atomic_load_n(&used, __ATOMIC_RELAXED);

	while (now < to && !__atomic_compare_exchange_n(&used, &now, to, true, __ATOMIC_RELEASE,
							__ATOMIC_RELAXED))
		;
}

/* Ends, as there are more slots than are taken. */
static size_t claim(void)
{
	size_t i = __atomic_load_n(&freed, __ATOMIC_RELAXED) % SLOTS;

	while (!change_begin(i, 0, 1))
		i = (i + 1) % SLOTS;
	return i;
}

void wcm__registered_add(uintptr_t begin, bool is_list)
{
	struct slot *slot;
	size_t i;

	if (begin <= 1 || !get_registry())
		return;
	if (__atomic_fetch_add(&taken, 1, __ATOMIC_ACQUIRE) >= SLOTS) {
		__atomic_fetch_sub(&taken, 1, __ATOMIC_RELAXED);
		return;
	}
	i = claim();
	slot = &registry->slot[i];
	__atomic_store_n(&slot->number, (slot->number & ~(uint32_t)IS_LIST) + 2 + is_list,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&slot->begin, begin, __ATOMIC_RELEASE);
	raise_used(i + 1);
	__atomic_store_n(&freed, i + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&recent, i, __ATOMIC_RELAXED);
}

static void set_free(size_t slot)
{
	__atomic_fetch_sub(&taken, 1, __ATOMIC_RELEASE);
	if (slot < __atomic_load_n(&freed, __ATOMIC_RELAXED))
		__atomic_store_n(&freed, slot, __ATOMIC_RELAXED);
	__atomic_store_n(&recent, slot, __ATOMIC_RELAXED);
}

/* From the latest change on, in both directions: many tables go in the order that they came in,
 * or in the opposite one. */
void wcm__registered_remove(uintptr_t begin)
{
	const size_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
	size_t up = __atomic_load_n(&recent, __ATOMIC_RELAXED), down = up;

	while (begin > 1 && (up < count || down > 0)) {
		if (up < count && change_begin(up++, begin, 0)) {
			set_free(up - 1);
			return;
		}
		if (down > 0 && change_begin(--down, begin, 0)) {
			set_free(down);
			return;
		}
	}
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

/* Unless someone else does: then the next walk finds it out again. */
static void keep(const struct described *described, struct slot *slot, uint32_t number)
{
	if (described->hi == 0 || __atomic_exchange_n(&slot->busy, true, __ATOMIC_ACQUIRE))
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

	if (begin <= 1)
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
