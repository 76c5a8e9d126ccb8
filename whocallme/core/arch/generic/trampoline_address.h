/* SPDX-License-Identifier: MIT */
/* generic/trampoline_address.h (SAFE) - trampolines in a row, each of WCM_TRAMPOLINE_SIZE bytes,
 * the first WCM_TRAMPOLINE_CALL of which are a call. */
#ifndef WCM_ARCH_TRAMPOLINE_ADDRESS_H
#define WCM_ARCH_TRAMPOLINE_ADDRESS_H

#include <stdint.h>

#include "encoding.h"

extern const uint8_t wcm__arch_trampolines[] __attribute__((visibility("hidden")));

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
