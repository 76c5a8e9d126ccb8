/* SPDX-License-Identifier: MIT */
/* generic/code_bytes.c (SAFE) - nothing is known of this CPU's instructions. */
#include "core/arch/arch.h"

bool wcm__arch_follows_call(uintptr_t pc, wcm_reader *read)
{
	(void)read;
	return pc != 0;
}

bool wcm__arch_may_follow_call(uintptr_t pc, wcm_reader *read)
{
	return wcm__arch_follows_call(pc, read);
}

bool wcm__arch_has_called(uintptr_t ra, const struct wcm_registers *registers,
			  unsigned within, wcm_reader *read)
{
	(void)ra, (void)registers, (void)within, (void)read;
	return false;
}

bool wcm__arch_is_return(uintptr_t pc, wcm_reader *read)
{
	(void)pc, (void)read;
	return false;
}

bool wcm__arch_stub_rule(struct wcm_rule *rule, uintptr_t pc, wcm_reader *read)
{
	(void)rule, (void)pc, (void)read;
	return false;
}

bool wcm__arch_is_sigreturn(uintptr_t pc, wcm_reader *read)
{
	(void)pc, (void)read;
	return false;
}
