/* SPDX-License-Identifier: MIT */
/* generic/profiler_call.c (SAFE) - a CPU whose calls are not known: none is the profiler's. */
#include "core/arch/arch.h"

size_t wcm__arch_call_size(const uint8_t *code, size_t size, intptr_t *to, bool *is_slot)
{
	(void)code, (void)size, (void)to, (void)is_slot;
	return 0;
}

size_t wcm__arch_first_call(const uint8_t *code, size_t size, size_t *at)
{
	(void)code, (void)size, (void)at;
	return 0;
}

bool wcm__arch_stub_slot(const uint8_t *code, size_t size, intptr_t *slot)
{
	(void)code, (void)size, (void)slot;
	return false;
}
