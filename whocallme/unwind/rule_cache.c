/* SPDX-License-Identifier: MIT */
/* rule_cache.c - what a rule is in the cache. */
#include "unwind/rule_cache.h"

#include "arch/arch.h"

enum { WORD = sizeof(uintptr_t) };

uint64_t wcm__rule_slots[1 << WCM_RULE_SLOT_BITS];

static bool is_cacheable(uintptr_t pc)
{
	return sizeof(uintptr_t) == 8 && (pc + 1) >> WCM_RULE_PC_BITS == 0;
}

/* What is saved lies inside the frame, the return address at its top. */
static bool fits(const struct wcm_rule *rule)
{
	if (rule->base == WCM_BASE_NONE)
		return true;
	return rule->cfa_off > 0 && rule->cfa_off % WORD == 0 &&
	       rule->cfa_off / WORD < 1 << WCM_RULE_CFA_BITS &&
	       rule->ra_saved && rule->ra_off == -WORD &&
	       (!rule->fp_saved ||
		(rule->fp_off < 0 && rule->fp_off % WORD == 0 &&
		 rule->fp_off >= -rule->cfa_off &&
		 -rule->fp_off / WORD < 1 << WCM_RULE_FP_BITS));
}

static uint64_t pack(const struct wcm_rule *rule)
{
	uint64_t fp = rule->fp_saved ? (uint64_t)(-rule->fp_off / WORD) : 0;

	if (rule->base == WCM_BASE_NONE)
		return WCM_RULE_VALID | WCM_RULE_OUTERMOST;
	return WCM_RULE_VALID |
	       (rule->base == WCM_BASE_FP ? WCM_RULE_BY_FP : 0) |
	       fp << WCM_RULE_FP_AT |
	       (uint64_t)(rule->cfa_off / WORD) << WCM_RULE_CFA_AT;
}

static struct wcm_rule unpack(uint64_t packed)
{
	int fp = (int)(packed >> WCM_RULE_FP_AT &
		       ((1 << WCM_RULE_FP_BITS) - 1));

	if (packed & WCM_RULE_OUTERMOST)
		return (struct wcm_rule){ .base = WCM_BASE_NONE };
	return (struct wcm_rule){
		.base = packed & WCM_RULE_BY_FP ? WCM_BASE_FP : WCM_BASE_SP,
		.cfa_off = (int32_t)(packed >> WCM_RULE_CFA_AT) * WORD,
		.ra_saved = true,
		.ra_off = (int16_t)-WORD,
		.fp_saved = fp != 0,
		.fp_off = (int16_t)-(fp * WORD),
	};
}

static void put(uint64_t *slots, const struct wcm_rule *rule, uintptr_t pc)
{
	uint64_t mixed = wcm__rule_mix(pc + 1);

	if (is_cacheable(pc) && fits(rule))
		__atomic_store_n(&slots[wcm__rule_slot(mixed)],
				 pack(rule) ^
					 mixed << (64 - WCM_RULE_PC_BITS),
				 __ATOMIC_RELAXED);
}

static bool get(const uint64_t *slots, struct wcm_rule *rule, uintptr_t pc)
{
	uint64_t packed;

	if (!is_cacheable(pc))
		return false;
	packed = wcm__rule_peek(slots, pc + 1);
	if (packed >> WCM_RULE_BITS != 0 || !(packed & WCM_RULE_VALID))
		return false;
	*rule = unpack(packed);
	return true;
}

void wcm__rule_cache_put(const struct wcm_rule *rule, uintptr_t pc)
{
	put(wcm__rule_slots, rule, pc);
}

bool wcm__rule_cache_get(struct wcm_rule *rule, uintptr_t pc)
{
	return get(wcm__rule_slots, rule, pc);
}

/* Code that can be unloaded, by what stands for its address: a module's number and
 * the offset in it. */
static uint64_t slots_in[1 << WCM_RULE_SLOT_BITS];

enum { OFFSET_BITS = 25 };

/* Beyond what is cacheable for PC far into a big module, or for very many modules. */
static uintptr_t place_of(uintptr_t pc, const struct wcm_known_module *module)
{
	uintptr_t offset = pc - module->map.lo;

	if (offset >> OFFSET_BITS != 0 ||
	    module->number >> (WCM_RULE_PC_BITS - OFFSET_BITS) != 0)
		return UINTPTR_MAX - 1;
	return module->number << OFFSET_BITS | offset;
}

void wcm__rule_cache_put_in(const struct wcm_rule *rule, uintptr_t pc,
			    const struct wcm_known_module *module)
{
	put(slots_in, rule, place_of(pc, module));
}

bool wcm__rule_cache_get_in(struct wcm_rule *rule, uintptr_t pc,
			    const struct wcm_known_module *module)
{
	return get(slots_in, rule, place_of(pc, module));
}
