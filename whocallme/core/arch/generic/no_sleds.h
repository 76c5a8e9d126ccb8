/* SPDX-License-Identifier: MIT */
/* generic/no_sleds.h (SAFE) - a CPU whose sleds are not known: no return address is changed. */
#ifndef WCM_ARCH_NO_SLEDS_H
#define WCM_ARCH_NO_SLEDS_H

#include <stdint.h>

#include "core/arch/generic/held_sleds.h"
#include "core/arch/rule.h"

static inline struct wcm_regs wcm__arch_sled_caller(const uintptr_t *frame)
{
	(void)frame;
	return (struct wcm_regs){ 0 };
}

enum { WCM_CALL_PUSHES = 0 };

static inline uintptr_t *wcm__arch_sled_return(uintptr_t *frame, uintptr_t cfa)
{
	(void)cfa;
	return frame;
}

static inline uintptr_t wcm__arch_trampoline(unsigned number)
{
	(void)number;
	return 0;
}

static inline unsigned wcm__arch_trampoline_called(uintptr_t pc)
{
	(void)pc;
	return 0;
}

static inline int wcm__arch_trampoline_of(uintptr_t pc)
{
	(void)pc;
	return -1;
}

#endif
