/* SPDX-License-Identifier: MIT */
/* generic/trampoline.c (SAFE) - a CPU on which no return address is changed. */
#include "core/arch/arch.h"

intptr_t wcm__arch_trampoline_distance[WCM_TRAMPOLINES];

int wcm__arch_trampoline_number(uintptr_t pc)
{
	(void)pc;
	return -1;
}

bool wcm__arch_has_shadow_stack(void)
{
	return false;
}
