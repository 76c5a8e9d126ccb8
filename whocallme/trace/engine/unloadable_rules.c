/* SPDX-License-Identifier: MIT */
/* unloadable_rules.c (SAFE) - remembers the frame rules of code that can be unloaded.
 *
 * A rule follows from the bytes of a frame description alone.  It is remembered with
 * their sum, and holds as long as the same bytes are there: a library that takes the
 * addresses of another has its own.  The dynamic linker says which module is there.  That the
 * bytes are mapped follows from the headers in the module's first page, which is mapped
 * because code of the module is on the stack.
 */
#include "trace/engine/unloadable_rules.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "core/cfi/cfi.h"
#include "core/modules/linked.h"
#include "core/modules/modules.h"
#include "core/os/mask.h"
#include "core/os/read.h"
#include "core/unwind/rule_cache.h"

enum { SLOT_BITS = 12, LONGEST = 1024 }; /* bytes of a description */

struct range {
	uintptr_t at;
	size_t size;
};

/* What is remembered of a site. */
struct known {
	uint64_t site;
	uintptr_t lo, hi, bias;    /* the span of its module */
	uintptr_t segment;         /* the program header of what holds both ranges */
	uint64_t head_sum, sum;    /* of headers; of the ranges */
	struct range entry, common; /* the description, and what it shares */
	struct wcm_unloadable_rule rule;
};

/* Whole ones, which are copied one by one. */
enum { WORDS = (sizeof(struct known) + sizeof(uint64_t) - 1) / sizeof(uint64_t) };

union slot_words {
	struct known known;
	uint64_t word[WORDS];
};

static struct slot {
	uint64_t turn; /* odd while it is written */
	uint64_t word[WORDS];
} slots[1 << SLOT_BITS];

/* A polynomial, so that the loads need not wait for one another. */
static uint64_t add_sum(uint64_t sum, struct range range)
{
	const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	const uintptr_t last = range.at + range.size - sizeof(uint64_t);
	uint64_t power = factor, word;

	for (uintptr_t at = range.at; at < last; at += sizeof(word)) {
		memcpy(&word, (const void *)at, sizeof(word));
		sum += word * power;
		power *= factor;
	}
	memcpy(&word, (const void *)last, sizeof(word));
	return (sum + word * power) * factor;
}

static uint64_t sum_of_head(const struct known *known)
{
	return add_sum(add_sum(0, (struct range){ known->lo, sizeof(ElfW(Ehdr)) }),
		       (struct range){ known->segment, sizeof(ElfW(Phdr)) });
}

static uint64_t sum_of_ranges(const struct known *known)
{
	return add_sum(add_sum(0, known->entry), known->common);
}

/* Two slots for each site. */
static struct slot *slot_of(uintptr_t site, unsigned way)
{
	const uint64_t mixed = site * UINT64_C(0x9e3779b97f4a7c15);

	return &slots[(mixed >> (64 - SLOT_BITS)) ^ way];
}

/* False where SLOT has none of SITE's, or is being written. */
static bool load(struct known *known, struct slot *slot, uintptr_t site)
{
	const uint64_t turn = __atomic_load_n(&slot->turn, __ATOMIC_ACQUIRE);
	union slot_words copy;

	if (turn % 2 != 0 || __atomic_load_n(&slot->word[0], __ATOMIC_RELAXED) != site)
		return false;
	for (int i = 0; i < WORDS; i++)
		copy.word[i] = __atomic_load_n(&slot->word[i], __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	*known = copy.known;
	return known->site == site &&
	       __atomic_load_n(&slot->turn, __ATOMIC_RELAXED) == turn;
}

static void store(struct slot *slot, const struct known *known)
{
	const union slot_words copy = { .known = *known };
	uint64_t turn = __atomic_load_n(&slot->turn, __ATOMIC_RELAXED);

	if (turn % 2 != 0 ||
	    !__atomic_compare_exchange_n(&slot->turn, &turn, turn + 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (int i = 0; i < WORDS; i++)
		__atomic_store_n(&slot->word[i], copy.word[i], __ATOMIC_RELAXED);
	__atomic_store_n(&slot->turn, turn + 2, __ATOMIC_RELEASE);
}

/* A handler that jumps away would leave the slot in the middle. */
static void remember(const struct known *known)
{
	struct slot *slot = slot_of(known->site, 0);
	const uint64_t has = __atomic_load_n(&slot->word[0], __ATOMIC_RELAXED);
	uint64_t mask;

	if (has != 0 && has != known->site)
		slot = slot_of(known->site, 1);
	mask = wcm__mask_set(WCM_MASK_ALL);
	store(slot, known);
	wcm__mask_set(mask);
}

static bool still_holds(const struct known *known, const struct dl_find_object *found)
{
	return (uintptr_t)found->dlfo_map_start == known->lo &&
	       (uintptr_t)found->dlfo_map_end == known->hi &&
	       found->dlfo_link_map->l_addr == known->bias &&
	       sum_of_head(known) == known->head_sum &&
	       sum_of_ranges(known) == known->sum;
}

static bool recall(struct wcm_unloadable_rule *rule, uintptr_t site,
		   const struct dl_find_object *found)
{
	struct known known;

	for (unsigned way = 0; way < 2; way++)
		if (load(&known, slot_of(site, way), site) &&
		    still_holds(&known, found)) {
			*rule = known.rule;
			return true;
		}
	return false;
}

static bool is_in(const struct range *range, const ElfW(Phdr) *segment, uintptr_t bias)
{
	const uintptr_t lo = bias + segment->p_vaddr;

	return range->at >= lo && range->at - lo < segment->p_filesz &&
	       segment->p_filesz - (range->at - lo) >= range->size;
}

/* Find the program header of what holds KNOWN's ranges, in the module's first page. */
static bool find_segment(struct known *known)
{
	ElfW(Phdr) segment;
	ElfW(Ehdr) head;

	if (!wcm__read_memory(known->lo, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_phentsize != sizeof(segment) || head.e_phoff > WCM_PAGE ||
	    head.e_phnum > (WCM_PAGE - head.e_phoff) / sizeof(segment))
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		known->segment = known->lo + head.e_phoff + i * sizeof(segment);
		if (!wcm__read_memory(known->segment, &segment, sizeof(segment)))
			return false;
		if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R) &&
		    is_in(&known->entry, &segment, known->bias) &&
		    is_in(&known->common, &segment, known->bias))
			return true;
	}
	return false;
}

static bool is_short(const struct range *range)
{
	return range->size >= sizeof(uint64_t) && range->size <= LONGEST;
}

static void remember_if_lasting(struct known *known, const struct wcm_fde *fde,
				const struct dl_find_object *found)
{
	known->lo = (uintptr_t)found->dlfo_map_start;
	known->hi = (uintptr_t)found->dlfo_map_end;
	known->bias = found->dlfo_link_map->l_addr;
	known->entry = (struct range){ fde->id_at, fde->instructions_end - fde->id_at };
	known->common = (struct range){ fde->common_id_at,
					fde->common_end - fde->common_id_at };
	if (!is_short(&known->entry) || !is_short(&known->common) ||
	    !find_segment(known))
		return;
	known->head_sum = sum_of_head(known);
	known->sum = sum_of_ranges(known);
	remember(known);
}

static bool look_up(struct wcm_unloadable_rule *rule, uintptr_t site,
		    const struct dl_find_object *found)
{
	struct wcm_unwind_table table;
	struct known known = { .site = site };
	struct wcm_fde fde;
	struct wcm_row row;
	bool permanent;

	if (!wcm__modules_find_unwind(&table, site, &permanent) ||
	    !wcm__fde_find(&fde, &table, site) || !wcm__cfi_row(&row, &fde, site) ||
	    !wcm__cfi_compact(&known.rule.rule, &row, &fde))
		return false;
	known.rule.function = fde.start;
	*rule = known.rule;
	if (permanent)
		wcm__rule_cache_put(&rule->rule, site, 0);
	else
		remember_if_lasting(&known, &fde, found);
	return true;
}

bool wcm__unloadable_rule_recall(struct wcm_unloadable_rule *rule,
				 uintptr_t site)
{
	struct dl_find_object found;

	return wcm__linked_find_object((void *)site, &found) == 0 && recall(rule, site, &found);
}

bool wcm__unloadable_rule_find(struct wcm_unloadable_rule *rule, uintptr_t site)
{
	struct dl_find_object found;

	return wcm__linked_find_object((void *)site, &found) == 0 &&
	       (recall(rule, site, &found) || look_up(rule, site, &found));
}
