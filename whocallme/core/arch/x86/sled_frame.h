/* SPDX-License-Identifier: MIT */
/* x86/sled_frame.h - where the hook of a sled or a trampoline has been called from. */
#ifndef WCM_ARCH_SLED_FRAME_H
#define WCM_ARCH_SLED_FRAME_H

#include <stdint.h>

#include "core/arch/rule.h"
#include "encoding.h"

/* The hook is given where the frame is: the frame pointer of the function that the sled is
 * in, where the sled ends, and then what is the function's. */
static inline struct wcm_regs wcm__arch_sled_caller(const uintptr_t *frame)
{
	return (struct wcm_regs){ .fp = frame[0], .pc = frame[1], .sp = (uintptr_t)(frame + 2) };
}

extern const uint8_t wcm__arch_trampolines[] __attribute__((visibility("hidden")));

/* A trampoline begins with a call. */
enum { WCM_TRAMPOLINE_CALL = 5 };

static inline uintptr_t wcm__arch_trampoline(unsigned number)
{
	return (uintptr_t)wcm__arch_trampolines + (uintptr_t)number * WCM_TRAMPOLINE_SIZE;
}

static inline unsigned wcm__arch_trampoline_called(uintptr_t pc)
{
	return (unsigned)((pc - (uintptr_t)wcm__arch_trampolines) / WCM_TRAMPOLINE_SIZE);
}

static inline int wcm__arch_trampoline_of(uintptr_t pc)
{
	const uintptr_t at = pc - (uintptr_t)wcm__arch_trampolines;
	const uintptr_t part = at % WCM_TRAMPOLINE_SIZE;

	if (__builtin_expect(at < (uintptr_t)WCM_TRAMPOLINES * WCM_TRAMPOLINE_SIZE, 0) &&
	    (part == 0 || part == WCM_TRAMPOLINE_CALL))
		return (int)(at / WCM_TRAMPOLINE_SIZE);
	return -1;
}

#endif
