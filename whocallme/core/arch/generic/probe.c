/* SPDX-License-Identifier: MIT */
/* generic/probe.c (SAFE) - a CPU whose static probes are left as they are. */
#include "core/arch/arch.h"

bool wcm__arch_probe_trap(uint8_t nop, uint8_t *trap)
{
	(void)nop, (void)trap;
	return false;
}

uintptr_t wcm__arch_trapped(const void *ucontext)
{
	(void)ucontext;
	return 0;
}

bool wcm__arch_probe_place(struct wcm_probe_place *place, const char *operand, size_t size)
{
	(void)place, (void)operand, (void)size;
	return false;
}

bool wcm__arch_probe_symbol(struct wcm_probe_symbol *symbol, const char *operand, size_t size)
{
	(void)symbol, (void)operand, (void)size;
	return false;
}
