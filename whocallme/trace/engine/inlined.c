/* SPDX-License-Identifier: MIT */
/* inlined.c (SAFE) - tells whether the hook call at an address is of a function that was inlined
 * into another.
 *
 * One call of a hook always names the same function, so the answer is remembered by the call's
 * address alone.  Address and answer share a word, so that no thread pairs one with another's.  Of
 * code that can be unloaded nothing is remembered here: unloadable_rules.c knows the function that
 * holds the call.
 */
#include "trace/engine/shadow.h"

#include "core/modules/modules.h"
#include "trace/engine/unloadable_rules.h"
#include "whocallme/symbol.h"

enum { SLOT_BITS = 12 };

static uint64_t slots[1 << SLOT_BITS]; /* pc * 2 + answer; 0: empty */

/* Code in front of FUNC is another function's, or a part of FUNC that was split off.  Behind its
 * start the symbols tell; where they know nothing, the call is taken for FUNC's own. */
static bool look_up(uintptr_t pc, uintptr_t func)
{
	struct wcm_symbol symbol;

	return pc < func || (wcm_symbol_peek(pc, &symbol) == WCM_OK &&
			     symbol.address != func);
}

bool wcm__inlined_at(uintptr_t pc, uintptr_t func)
{
	uint64_t *slot = &slots[(pc ^ pc >> SLOT_BITS) %
				(1 << SLOT_BITS)];
	const uint64_t known = __atomic_load_n(slot, __ATOMIC_RELAXED);
	struct wcm_unloadable_rule rule;
	bool answer;

	if (known >> 1 == pc)
		return known & 1;
	if (wcm__unloadable_rule_recall(&rule, pc))
		return rule.function != func;
	answer = look_up(pc, func);
	if (wcm__modules_find_permanent(pc))
		__atomic_store_n(slot, (uint64_t)pc << 1 | answer,
				 __ATOMIC_RELAXED);
	return answer;
}
