/* SPDX-License-Identifier: MIT */
/* generic/fault.c (SAFE) - nothing is told of a fault but what the signal's code says. */
#include "core/arch/arch.h"

void wcm__arch_fault_find(struct wcm_fault_found *found, int signal, const void *ucontext,
			  uintptr_t thread_pointer, wcm_reader *read)
{
	(void)signal, (void)ucontext, (void)thread_pointer, (void)read;
	*found = (struct wcm_fault_found){ .fault = WCM_FAULT_UNKNOWN };
}
