/* SPDX-License-Identifier: MIT */
/* rule_cache.h - pc -> rule, lock-free.
 *
 * An entry is one 64-bit word that holds the whole pc and the whole rule: the
 * pc is mixed one-to-one, its low bits choose the slot and the rest stand in the
 * word.  A word is loaded and stored at once, so that a reader sees one entry or
 * another and never half of each; and since all of the pc is compared, never
 * another pc's.
 *
 * No entry outlives what it describes.  An address is entered as it is only if its
 * code stays mapped for the life of the process.  Code that can be unloaded is
 * entered in a table of its own by the number of its module, which no other ever
 * has, and the offset there: what comes to the same address later asks for
 * something else.
 *
 * The part that every frame of every stack goes through is inline.
 */
#ifndef WCM_UNWIND_RULE_CACHE_H
#define WCM_UNWIND_RULE_CACHE_H

#include "symbols/modules.h"
#include "unwind/step.h"

enum {
	WCM_RULE_SLOT_BITS = 12,
	WCM_RULE_PC_BITS = 47, /* user addresses without five-level paging */
	WCM_RULE_BITS = 64 - (WCM_RULE_PC_BITS - WCM_RULE_SLOT_BITS),
	/* Inside the rule, from its lowest bit: */
	WCM_RULE_VALID = 1 << 0,
	WCM_RULE_OUTERMOST = 1 << 1,
	WCM_RULE_BY_FP = 1 << 2,
	WCM_RULE_FP_AT = 3, /* words below the CFA; 0: not saved */
	WCM_RULE_FP_BITS = 11,
	WCM_RULE_CFA_AT = WCM_RULE_FP_AT + WCM_RULE_FP_BITS, /* words: 128 KiB */
	WCM_RULE_CFA_BITS = 14,
};

extern uint64_t wcm__rule_slots[1 << WCM_RULE_SLOT_BITS]
	__attribute__((visibility("hidden")));

static inline uint64_t wcm__rule_mix(uintptr_t ra)
{
	return ra ^ ra >> WCM_RULE_SLOT_BITS;
}

static inline size_t wcm__rule_slot(uint64_t mixed)
{
	return mixed & ((1 << WCM_RULE_SLOT_BITS) - 1);
}

/* What SLOTS have for RA, an address of no more than
 * WCM_RULE_PC_BITS; anything that has more than WCM_RULE_BITS, or is not
 * WCM_RULE_VALID, where none is remembered. */
static inline uint64_t wcm__rule_peek(const uint64_t *slots, uintptr_t ra)
{
	uint64_t mixed = wcm__rule_mix(ra);

	return __atomic_load_n(&slots[wcm__rule_slot(mixed)], __ATOMIC_RELAXED) ^
	       mixed << (64 - WCM_RULE_PC_BITS);
}

/* The packed rule of the call that returns to RA, in code that stays. */
static inline uint64_t wcm__rule_cache_peek(uintptr_t ra)
{
	return wcm__rule_peek(wcm__rule_slots, ra);
}

/* The rule remembered for PC.  False where there is none. */
bool wcm__rule_cache_get(struct wcm_rule *rule, uintptr_t pc);

/* Remember RULE for PC, which lies in a module that is never unloaded; a rule or
 * a pc that does not fit is left out. */
void wcm__rule_cache_put(const struct wcm_rule *rule, uintptr_t pc);

/* The same for PC in MODULE, which can be unloaded and is loaded now. */
bool wcm__rule_cache_get_in(struct wcm_rule *rule, uintptr_t pc,
			    const struct wcm_known_module *module);
void wcm__rule_cache_put_in(const struct wcm_rule *rule, uintptr_t pc,
			    const struct wcm_known_module *module);

#endif
