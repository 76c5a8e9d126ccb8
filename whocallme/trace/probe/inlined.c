/* SPDX-License-Identifier: MIT */
/* inlined.c - is a function inlined where its hook is called from?
 *
 * A call of a hook names one function for ever, so that the answer is remembered by
 * its address alone, in one word with it; unless the code can be unloaded.  Of that
 * it is known where the function begins that holds the call.
 */
#include "hook/inlined.h"

#include "hook/guest_rules.h"
#include "symbols/modules.h"
#include "whocallme/symbol.h"

enum { SLOT_BITS = 12 };

static uint64_t slots[1 << SLOT_BITS]; /* pc * 2 + answer */

static bool look_up(uintptr_t pc, uintptr_t func)
{
	struct wcm_symbol symbol;

	return pc < func || (wcm_symbol_peek(pc, &symbol) == WCM_OK &&
			     symbol.address != func);
}

static bool stays(uintptr_t pc)
{
	enum wcm_module_state state;
	const struct wcm_known_module *module = wcm__modules_find(pc, &state);

	return module && module->permanent;
}

bool wcm__inlined_at(uintptr_t pc, uintptr_t func)
{
	uint64_t *slot = &slots[(pc ^ pc >> SLOT_BITS) %
				(1 << SLOT_BITS)];
	const uint64_t known = __atomic_load_n(slot, __ATOMIC_RELAXED);
	struct wcm_guest_rule guest;
	bool answer;

	if (known >> 1 == pc)
		return known & 1;
	if (wcm__guest_rule_recall(&guest, pc))
		return guest.function != func;
	answer = look_up(pc, func);
	if (stays(pc))
		__atomic_store_n(slot, (uint64_t)pc << 1 | answer,
				 __ATOMIC_RELAXED);
	return answer;
}
