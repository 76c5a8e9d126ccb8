/* SPDX-License-Identifier: MIT */
/* rule_cache.h (SAFE) - pc -> rule, lock-free, for all code that was met.
 *
 * An entry is one 64-bit word that holds the whole pc and the whole rule.  Some bits
 * of the pc choose the line, which is a cache line of eight entries; the word is the pc,
 * shifted, with the rule exclusive-ored into what is free: the bits below it, and those
 * that chose the line, which are the same for all that is there.  A word is loaded and
 * stored at once, so that a reader sees one entry or another and never half of each; and
 * since all of the pc is compared, never another pc's.
 *
 * No entry outlives what it describes.  A rule of code that can be unloaded carries the
 * epoch in which it was entered (core/modules/epoch.h): it counts for as long as nothing has
 * been unloaded since, and before a number returns all that carry one are gone.
 *
 * The table begins in .bss and doubles at a quarter full, a large one at half, in an
 * address space that is reserved at the first doubling and opened as far as it is used.
 * What lies in the half that a pc no longer chooses is met again as if it were new.
 *
 * The slot is where a call leaves the return address in the frame's last word, that of the
 * caller's frame pointer, counted down from there.  Where a function saves a link register
 * it is the return address's, and the frame pointer, if it is saved, is the word below.
 *
 * The words of the CFA are an entry's lowest bits, so that between the load of an entry
 * and the load of the next return address there is one instruction.  The part that every
 * frame of every stack goes through is inline.
 */
#ifndef WCM_UNWIND_RULE_CACHE_H
#define WCM_UNWIND_RULE_CACHE_H

#include "core/arch/registers.h"
#include "core/modules/epoch.h"
#include "core/unwind/step.h"

enum {
	/* Of the pc: those below the line's, its own, and those above, in the least table. */
	WCM_RULE_LOW_BITS = 6,
	WCM_RULE_LINE_BITS = 9,
	WCM_RULE_HIGH_AT = WCM_RULE_LOW_BITS + WCM_RULE_LINE_BITS,
	/* Inside an entry, below the pc: */
	WCM_RULE_CFA_BITS = 15, /* words: 256 KiB */
	WCM_RULE_BY_FP_AT = WCM_RULE_CFA_BITS,
	WCM_RULE_FP_SAVED_AT = WCM_RULE_BY_FP_AT + 1,
	/* The pc's bits that are always 0 lie over what is below. */
	WCM_RULE_KEY_AT = WCM_RULE_FP_SAVED_AT + 1 - WCM_CODE_SHIFT,
	WCM_RULE_PC_BITS = 64 - WCM_RULE_KEY_AT, /* user addresses without five-level paging */
	/* and where the line's bits are: */
	WCM_RULE_EPOCH_AT = WCM_RULE_KEY_AT + WCM_RULE_LOW_BITS,
	WCM_RULE_SLOT_AT = WCM_RULE_EPOCH_AT + WCM_EPOCH_BITS,
	WCM_RULE_SLOT_BITS = 5,
	/* A slot from here on counts words up from the frame's base, the others down from
	 * its end. */
	WCM_RULE_SLOT_BASE = 24,
	WCM_RULE_SLOT_END = 1 << WCM_RULE_SLOT_BITS,
	WCM_RULE_WAYS = 8,
	WCM_RULE_LEAST_BYTES = 1 << WCM_RULE_HIGH_AT,
	WCM_RULE_MOST_BYTES = 16 << 20,
};

#define WCM_RULE_CFA ((UINT64_C(1) << WCM_RULE_CFA_BITS) - 1)
#define WCM_RULE_BY_FP (UINT64_C(1) << WCM_RULE_BY_FP_AT)
#define WCM_RULE_EPOCH (((UINT64_C(1) << WCM_EPOCH_BITS) - 1) << WCM_RULE_EPOCH_AT)
#define WCM_RULE_SLOT (((UINT64_C(1) << WCM_RULE_SLOT_BITS) - 1) << WCM_RULE_SLOT_AT)
#define WCM_RULE_FP_SAVED (UINT64_C(1) << WCM_RULE_FP_SAVED_AT)
#define WCM_RULE_ALL (WCM_RULE_CFA | WCM_RULE_BY_FP | WCM_RULE_SLOT | WCM_RULE_FP_SAVED)

/* That of a thread's first function: by the frame pointer, but nowhere. */
#define WCM_RULE_OUTERMOST WCM_RULE_BY_FP

/* The table and the epoch, as a walk begins. */
struct wcm_rules {
	const unsigned char *lines;
	uintptr_t mask;   /* of a pc: the place of its entry, in bytes */
	uint64_t foreign; /* bits that no rule has which counts now */
};

extern unsigned char *wcm__rule_lines __attribute__((visibility("hidden")));
extern uintptr_t wcm__rule_mask __attribute__((visibility("hidden")));

/* For code that stays alone. */
static inline struct wcm_rules wcm__lasting_rules(void)
{
	/* In this order: a greater mask comes after the lines that it is for. */
	const uintptr_t mask = __atomic_load_n(&wcm__rule_mask, __ATOMIC_ACQUIRE);

	return (struct wcm_rules){
		.lines = __atomic_load_n(&wcm__rule_lines, __ATOMIC_RELAXED),
		.mask = mask,
		.foreign = ~WCM_RULE_ALL,
	};
}

static inline struct wcm_rules wcm__rules(void)
{
	struct wcm_rules rules = wcm__lasting_rules();

	rules.foreign &= ~((uint64_t)wcm__epoch() << WCM_RULE_EPOCH_AT);
	return rules;
}

/* The return address of a call at PC: an instruction, or any byte of one. */
static inline uintptr_t wcm__rule_return(uintptr_t pc)
{
	return (pc | ((1 << WCM_CODE_SHIFT) - 1)) + 1;
}

/* The entry of a call that returns to RA, but for its rule. */
static inline uint64_t wcm__rule_key(uintptr_t ra)
{
	return (uint64_t)ra << WCM_RULE_KEY_AT;
}

/* The words of RULE's slot. */
static inline uintptr_t wcm__rule_slot(uint64_t rule)
{
	return (uintptr_t)((rule & WCM_RULE_SLOT) >> WCM_RULE_SLOT_AT);
}

/* Where the return address is in a frame from BASE to CFA. */
static inline uintptr_t wcm__rule_ra_at(uint64_t rule, uintptr_t base, uintptr_t cfa)
{
	const uintptr_t slot = wcm__rule_slot(rule);

	if (!WCM_HAS_LINK_REGISTER)
		return cfa - sizeof(cfa);
	return slot < WCM_RULE_SLOT_BASE ? cfa - (slot + 1) * sizeof(cfa)
					 : base + (slot - WCM_RULE_SLOT_BASE) * sizeof(cfa);
}

/* And the caller's frame pointer, if it is saved, by where that is. */
static inline uintptr_t wcm__rule_fp_at(uint64_t rule, uintptr_t ra_at)
{
	return ra_at - (WCM_HAS_LINK_REGISTER ? 1 : wcm__rule_slot(rule)) * sizeof(ra_at);
}

/* The entry where that of RA is, unless another has taken its place. */
static inline uint64_t wcm__rule_peek(const struct wcm_rules *rules, uintptr_t ra)
{
	const unsigned char *at = rules->lines + (ra & rules->mask);

	return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_RELAXED);
}

/* The entry of RA anywhere in its line, or another one. */
uint64_t wcm__rule_search(const struct wcm_rules *rules, uintptr_t ra);

/* The rule remembered for PC.  False where there is none. */
bool wcm__rule_cache_get(struct wcm_rule *rule, const struct wcm_rules *rules,
			 uintptr_t pc);

/* Remember RULE for PC, for as long as EPOCH lasts, or, with none, for good; a rule or
 * a pc that does not fit is left out. */
void wcm__rule_cache_put(const struct wcm_rule *rule, uintptr_t pc, unsigned epoch);

/* No more than BYTES from now on, as far as that is more than there is. */
void wcm__rule_cache_limit(size_t bytes);

/* What it takes now. */
size_t wcm__rule_cache_bytes(void);

/* Forget all that carries an epoch. */
void wcm__rule_cache_forget_epochs(void);

#endif
