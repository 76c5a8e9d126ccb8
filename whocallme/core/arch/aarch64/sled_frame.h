/* SPDX-License-Identifier: MIT */
/* aarch64/sled_frame.h (SAFE) - where the hook of a sled or a trampoline has been called from. */
#ifndef WCM_ARCH_SLED_FRAME_H
#define WCM_ARCH_SLED_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arch/generic/trampoline_address.h"
#include "core/arch/rule.h"

enum {
	WCM_CALL_PUSHES = 0,
	WCM_CALLER_FRAME = 16, /* x30 has to be kept, and the stack pointer is aligned */
	WCM_SLEDS_AT_ONCE = true,
	WCM_SLED_WORD = 4,
	WCM_SLED_STUB = 12,
	WCM_JUMP_SIZE = 4,
	WCM_JUMP_FIRST = 4,
};

/* What the hook is given: sled_entry.c saves it. */
enum {
	WCM_SAVED_FP = 0,
	WCM_SAVED_RETURN = 1, /* x30: the function's, and where a trampoline goes on */
	WCM_SAVED_PC = 2,     /* behind the NOPs, or the trampoline's call */
	WCM_SAVED_WORDS = 22, /* then comes what is the function's */
};

static inline struct wcm_regs wcm__arch_sled_caller(const uintptr_t *frame)
{
	return (struct wcm_regs){ .fp = frame[WCM_SAVED_FP], .pc = frame[WCM_SAVED_PC],
				  .sp = (uintptr_t)(frame + WCM_SAVED_WORDS),
				  .lr = frame[WCM_SAVED_RETURN] };
}

/* The function, which keeps it in its frame, has not begun. */
static inline uintptr_t *wcm__arch_sled_return(uintptr_t *frame, uintptr_t cfa)
{
	(void)cfa;
	return &frame[WCM_SAVED_RETURN];
}

bool wcm__arch_sled_stub(uint8_t *code, uintptr_t at, uintptr_t pc, uintptr_t to);

/* The compiler's runtime has it, for all sizes of cache lines. */
static inline void wcm__arch_code_written(uintptr_t at, size_t size)
{
	__builtin___clear_cache((char *)at, (char *)(at + size));
}

#endif
