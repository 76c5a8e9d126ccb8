/* SPDX-License-Identifier: MIT */
/* fake_arch.h - a CPU made by hand, in place of arch/: which addresses follow a
 * call, which is the signal trampoline, and what a ucontext holds. */
#ifndef TEST_SUPPORT_FAKE_ARCH_H
#define TEST_SUPPORT_FAKE_ARCH_H

#include <stdbool.h>
#include <stdint.h>

/* Code lies in [FAKE_CODE, FAKE_CODE_END): what points there follows a call. */
#define FAKE_CODE ((uintptr_t)0x400000)
#define FAKE_CODE_END ((uintptr_t)0x500000)

/* The one address of the signal trampoline. */
#define FAKE_TRAMPOLINE ((uintptr_t)0x4ff000)

/* What stands at the address of a ucontext. */
struct fake_context {
	uintptr_t pc, sp, fp;
	uintptr_t fetch_failed;
	uintptr_t lr; /* where a call leaves the return address in a register */
};

enum { FAKE_CONTEXT_WORDS = sizeof(struct fake_context) / sizeof(uintptr_t) };

#endif
