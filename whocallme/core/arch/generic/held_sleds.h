/* SPDX-License-Identifier: MIT */
/* generic/held_sleds.h (SAFE) - sleds that are changed while all threads stand still, and whose
 * calls need no code of their own. */
#ifndef WCM_ARCH_HELD_SLEDS_H
#define WCM_ARCH_HELD_SLEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WCM_SLEDS_AT_ONCE = false,
	WCM_SLED_WORD = 0,
	WCM_SLED_STUB = 0,
	WCM_CALLER_FRAME = 0,
	WCM_JUMP_SIZE = 5,
	WCM_JUMP_FIRST = 1,
};

static inline bool wcm__arch_sled_stub(uint8_t *code, uintptr_t at, uintptr_t pc, uintptr_t to)
{
	(void)code, (void)at, (void)pc, (void)to;
	return false;
}

/* Data and instructions are one memory to it. */
static inline void wcm__arch_code_written(uintptr_t at, size_t size)
{
	(void)at, (void)size;
}

#endif
