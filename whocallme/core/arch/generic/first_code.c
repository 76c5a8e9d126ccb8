/* SPDX-License-Identifier: MIT */
/* generic/first_code.c (SAFE) - nothing is known of how functions of this CPU begin. */
#include "core/arch/arch.h"

bool wcm__arch_prologue_rule(struct wcm_rule *rule, uintptr_t start, uintptr_t pc,
			     wcm_reader *read)
{
	(void)rule, (void)start, (void)pc, (void)read;
	return false;
}

bool wcm__arch_lacks_frame_pointer(uintptr_t start, uintptr_t pc, wcm_reader *read)
{
	(void)start, (void)pc, (void)read;
	return false;
}

bool wcm__arch_can_have_called(const struct wcm_regs *caller, uintptr_t start,
			       wcm_reader *read)
{
	(void)caller, (void)start, (void)read;
	return false;
}
