/* SPDX-License-Identifier: MIT */
/* inlined.c (SAFE) - tells whether a function is inlined where its hook is called from.
 *
 * One call instruction of a hook always names the same function, so the answer is
 * remembered by that address, both in one word.  In code that can be unloaded nothing is
 * remembered by address; there the start of the function that holds the call is asked.
 */
#include "trace/engine/shadow.h"

#include "core/modules/modules.h"
#include "trace/engine/unloadable_rules.h"
#include "whocallme/symbol.h"

enum { SLOT_BITS = 12 };

static uint64_t slots[1 << SLOT_BITS]; /* pc * 2 + answer */

/* A function's own hook is called from within it.  Where nothing is known of the address, it is
 * taken for the function's own. */
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
