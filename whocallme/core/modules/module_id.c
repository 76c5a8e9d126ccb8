/* SPDX-License-Identifier: MIT */
/* module_id.c (SAFE) - identifies the module of running code, so that another one in its place is
 * noticed.
 *
 * Ids are in lists by their module's place, to which any thread adds at the front.  The
 * module that is there now was mostly the last to come.
 */
#include "core/modules/module_id.h"

#include <string.h>

#include "core/modules/linked.h"
#include "core/modules/modules.h"
#include "core/os/memory.h"
#include "core/os/read.h"

enum {
	SLOT_BITS = 8,
	WORD = sizeof(uint64_t),
	HEAD = WCM_MODULE_HEAD * WORD, /* the ELF header */
	START = 1024,    /* of a module: what the program headers lead to tells it, mostly */
	SHORTEST_ID = 8, /* shorter ones were chosen by people */
};

static const struct wcm_module_id *ids[1 << SLOT_BITS];

static const struct wcm_module_id **list_of(uintptr_t lo)
{
	return &ids[lo / WCM_PAGE * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOT_BITS)];
}

/* In its place there is a module, so that its first page is mapped. */
static bool has_bytes(const struct wcm_module_id *id)
{
	const uint64_t *head = (const uint64_t *)id->lo;
	uint64_t difference = 0;

	for (int i = 0; i < WCM_MODULE_HEAD; i++)
		difference |= id->head[i] ^ head[i];
	for (uint32_t i = 0; i < id->count; i++)
		difference |= id->word[i] ^ id->at[i];
	return difference == 0;
}

static const struct wcm_module_id *find(const struct wcm_module_id *id, uintptr_t lo,
					uintptr_t size)
{
	for (; id; id = id->next)
		if (id->lo == lo && id->size == size &&
		    (id->number == 0 || has_bytes(id)))
			return id;
	return NULL;
}

/* Memory for SIZE bytes, which stays; NULL: there is none.  Where two threads take a new
 * piece at once, the rest of one is lost. */
static void *take(size_t size)
{
	enum { PIECE = 16 * 1024 };
	static struct piece {
		size_t used;
		char room[];
	} *current;
	struct piece *piece = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
	size_t at = 0;

	if (piece)
		at = __atomic_fetch_add(&piece->used, size, __ATOMIC_RELAXED);
	if (!piece || at > PIECE - sizeof(*piece) - size) {
		piece = wcm__map(PIECE);
		if (!piece)
			return NULL;
		at = 0;
		piece->used = size;
		__atomic_store_n(&current, piece, __ATOMIC_RELEASE);
	}
	return piece->room + at;
}

/* The words behind its header by which the module of ADDRESS, at LO, is known; *SIZE bytes. */
static const uint64_t *find_words(uintptr_t address, uintptr_t lo, size_t *size)
{
	struct wcm_module module;
	uintptr_t at, end;

	*size = START - HEAD;
	if (!wcm__linked_find(&module, address) || module.build_id_size < SHORTEST_ID)
		return (const uint64_t *)(lo + HEAD);
	at = (uintptr_t)module.build_id & -(uintptr_t)WORD;
	end = (uintptr_t)module.build_id + module.build_id_size + WORD - 1;
	if (at - lo < HEAD || at - lo >= WCM_PAGE || end - lo >= WCM_PAGE)
		return (const uint64_t *)(lo + HEAD);
	*size = (end - at) / WORD * WORD;
	return (const uint64_t *)at;
}

/* The id of the module of ADDRESS, which has none yet, unless somebody else is faster. */
__attribute__((noinline)) static const struct wcm_module_id *
add(uintptr_t address, uintptr_t lo, uintptr_t size, bool permanent)
{
	static uint32_t last;
	const struct wcm_module_id **list = list_of(lo), *found;
	const struct wcm_module_id *first = __atomic_load_n(list, __ATOMIC_ACQUIRE);
	size_t size_of_words = 0;
	const uint64_t *at = permanent ? NULL : find_words(address, lo, &size_of_words);
	struct wcm_module_id *id = take(sizeof(*id) + size_of_words);

	if (!id)
		return NULL;
	id->lo = lo;
	id->size = size;
	id->number = permanent ? 0 : __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	if (!permanent) {
		id->count = (uint32_t)(size_of_words / WORD);
		id->at = at;
		memcpy(id->head, (const void *)lo, HEAD);
		memcpy(id->word, at, size_of_words);
	}
	do {
		found = find(first, lo, size);
		if (found)
			return found;
		id->next = first;
	} while (!__atomic_compare_exchange_n(list, &first, id, true, __ATOMIC_RELEASE,
					      __ATOMIC_ACQUIRE));
	return id;
}

const struct wcm_module_id *wcm__module_id(uintptr_t address)
{
	const struct wcm_known_module *known = NULL;
	const struct wcm_module_id *id;
	uintptr_t lo, hi;
	const bool placed = wcm__linked_find_bounds(address, &lo, &hi);

	if (!placed) {
		known = wcm__modules_find_permanent(address);
		if (!known)
			return NULL;
		lo = known->map.lo;
		hi = known->map.hi;
	}
	id = find(__atomic_load_n(list_of(lo), __ATOMIC_ACQUIRE), lo, hi - lo);
	if (id)
		return id;
	return add(address, lo, hi - lo, known || wcm__modules_find_permanent(address));
}

bool wcm__module_id_holds(const struct wcm_module_id *id, uintptr_t address)
{
	uintptr_t lo, hi;

	if (address - id->lo >= id->size)
		return false;
	return id->number == 0 || (wcm__linked_find_bounds(address, &lo, &hi) &&
				   lo == id->lo && hi - lo == id->size && has_bytes(id));
}
