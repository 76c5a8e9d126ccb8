/* SPDX-License-Identifier: MIT */
/* prologue.c (SAFE) - follows the code that a function begins with, where there is neither row nor
 * chain.
 *
 * For functions that nothing describes and that keep no frame pointer: a symbol says
 * where the code starts, and the port reads it.  What the function took from the stack
 * later on is not known, so that the return address found is a claim to be checked.
 */
#include "core/unwind/prologue.h"

#include "core/arch/arch.h"
#include "core/modules/module_read.h"
#include "core/modules/modules.h"
#include "core/symbols/function_table.h"
#include "whocallme/symbol.h"

enum wcm_stop wcm__prologue_step(struct wcm_regs *regs, uintptr_t site,
				 const struct wcm_span *window)
{
	struct wcm_regs caller = *regs;
	struct wcm_symbol symbol;
	struct wcm_rule rule;

	if (wcm_symbol_peek(site, &symbol) != WCM_OK ||
	    !wcm__arch_prologue_rule(&rule, symbol.address, regs->pc, wcm__read_code) ||
	    wcm__step(&caller, &rule, window) != WCM_STOP_NONE ||
	    !wcm__arch_can_have_called(&caller, symbol.address, wcm__read_code))
		return WCM_STOP_NO_RULE;
	*regs = caller;
	return WCM_STOP_NONE;
}

bool wcm__prologue_lacks_chain(uintptr_t pc, uintptr_t site)
{
	struct wcm_symbol symbol;

	return wcm_symbol_peek(site, &symbol) == WCM_OK &&
	       wcm__arch_lacks_frame_pointer(symbol.address, pc, wcm__read_code);
}

static bool is_in_no_function(uintptr_t pc)
{
	const struct wcm_known_module *module = wcm__modules_find_loaded(pc);
	const struct wcm_function_table *table = module ? wcm__module_table(module) : NULL;
	struct wcm_found_function found;

	return table && table->is_whole && pc - module->table_base <= UINT32_MAX &&
	       !wcm__function_table_find(table, (uint32_t)(pc - module->table_base),
					 &found);
}

bool wcm__prologue_is_none(const struct wcm_regs *regs, const struct wcm_span *window)
{
	struct wcm_regs caller = *regs;

	return wcm__step(&caller, &wcm__arch_call_rule, window) == WCM_STOP_NONE &&
	       wcm__arch_can_have_called(&caller, regs->pc, wcm__read_code) &&
	       is_in_no_function(regs->pc);
}
