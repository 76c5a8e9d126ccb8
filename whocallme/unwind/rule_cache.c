/* SPDX-License-Identifier: MIT */
/* rule_cache.c - pc -> rule, lock-free.
 *
 * An entry is one 64-bit word that holds the whole pc and the whole rule: the
 * pc is mixed one-to-one, its low bits choose the slot and the rest stand in the
 * word.  A word is loaded and stored at once, so that a reader sees one entry or
 * another and never half of each; and since all of the pc is compared, never
 * another pc's.  Only code that stays mapped for the life of the process is
 * entered, so that no entry outlives what it describes.
 */
#include "unwind/rule_cache.h"

#include "arch/arch.h"

enum {
	SLOT_BITS = 12,
	PC_BITS = 47, /* user addresses without five-level paging */
	TAG_BITS = PC_BITS - SLOT_BITS,
	CFA_BITS = 14, /* in words: frames up to 128 KiB */
	FP_BITS = 11,  /* in words below the CFA; 0: not saved */
};

static uint64_t slots[1 << SLOT_BITS];

/* A slot's word is TAG, then rule: valid, outermost, base, cfa, fp. */
static uint64_t mix(uintptr_t pc)
{
	return pc ^ pc >> SLOT_BITS;
}

static bool fits(const struct wcm_rule *rule, uintptr_t pc)
{
	const int word = sizeof(uintptr_t);

	return sizeof(uintptr_t) == 8 && pc >> PC_BITS == 0 &&
	       rule->cfa_off >= 0 && rule->cfa_off % word == 0 &&
	       rule->cfa_off / word < 1 << CFA_BITS &&
	       (rule->base == WCM_BASE_NONE || rule->ra_off == -word) &&
	       (!rule->fp_saved ||
		(rule->fp_off < 0 && rule->fp_off % word == 0 &&
		 -rule->fp_off / word < 1 << FP_BITS));
}

void wcm__rule_cache_put(const struct wcm_rule *rule, uintptr_t pc)
{
	const int word = sizeof(uintptr_t);
	uint64_t mixed = mix(pc), entry;

	if (!fits(rule, pc))
		return;
	entry = mixed >> SLOT_BITS;
	entry = entry << 1 | 1;
	entry = entry << 1 | (rule->base == WCM_BASE_NONE);
	entry = entry << 1 | (rule->base == WCM_BASE_FP);
	entry = entry << CFA_BITS | (uint64_t)(rule->cfa_off / word);
	entry = entry << FP_BITS |
		(rule->fp_saved ? (uint64_t)(-rule->fp_off / word) : 0);
	__atomic_store_n(&slots[mixed & ((1 << SLOT_BITS) - 1)], entry,
			 __ATOMIC_RELAXED);
}

bool wcm__rule_cache_get(struct wcm_rule *rule, uintptr_t pc)
{
	const int word = sizeof(uintptr_t);
	const unsigned base_at = CFA_BITS + FP_BITS;
	uint64_t mixed = mix(pc), entry, fp;

	entry = __atomic_load_n(&slots[mixed & ((1 << SLOT_BITS) - 1)],
				__ATOMIC_RELAXED);
	if (entry >> (base_at + 2) != (mixed >> SLOT_BITS << 1 | 1))
		return false;
	fp = entry & ((1 << FP_BITS) - 1);
	*rule = (struct wcm_rule){
		.base = entry >> (base_at + 1) & 1 ? WCM_BASE_NONE
			: entry >> base_at & 1	   ? WCM_BASE_FP
						   : WCM_BASE_SP,
		.cfa_off = (int32_t)(entry >> FP_BITS & ((1 << CFA_BITS) - 1)) *
			   word,
		.ra_saved = true,
		.ra_off = (int16_t)-word,
		.fp_saved = fp != 0,
		.fp_off = (int16_t)-((int)fp * word),
	};
	return true;
}
