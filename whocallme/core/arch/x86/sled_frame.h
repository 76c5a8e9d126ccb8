/* SPDX-License-Identifier: MIT */
/* x86/sled_frame.h (SAFE) - where the hook of a sled or a trampoline has been called from. */
#ifndef WCM_ARCH_SLED_FRAME_H
#define WCM_ARCH_SLED_FRAME_H

#include <stdint.h>

#include "core/arch/generic/held_sleds.h"
#include "core/arch/generic/trampoline_address.h"
#include "core/arch/rule.h"
#include "encoding.h"

/* The hook is given where the frame is: the frame pointer of the function that the sled is
 * in, where the sled ends, and then what is the function's. */
static inline struct wcm_regs wcm__arch_sled_caller(const uintptr_t *frame)
{
	return (struct wcm_regs){ .fp = frame[0], .pc = frame[1], .sp = (uintptr_t)(frame + 2) };
}

/* Where the return address lies of the function whose sled has called, and whose frame ends at
 * CFA. */
static inline uintptr_t *wcm__arch_sled_return(uintptr_t *frame, uintptr_t cfa)
{
	(void)frame;
	return (uintptr_t *)cfa - 1;
}

enum { WCM_CALL_PUSHES = sizeof(uintptr_t) };

#endif
