/* SPDX-License-Identifier: MIT */
/* generic/prologue.c - nothing is known of this CPU's instructions. */
#include "arch/arch.h"

bool wcm__arch_prologue_rule(struct wcm_rule *rule, uintptr_t start, uintptr_t pc)
{
	(void)rule, (void)start, (void)pc;
	return false;
}

bool wcm__arch_can_have_called(const struct wcm_regs *caller, uintptr_t start)
{
	(void)caller, (void)start;
	return false;
}
