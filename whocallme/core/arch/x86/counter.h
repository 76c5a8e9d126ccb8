/* SPDX-License-Identifier: MIT */
/* x86/counter.h (SAFE) - the time stamp counter, and counting in one instruction. */
#ifndef WCM_ARCH_COUNTER_H
#define WCM_ARCH_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arch/x86/cpuid.h"

static inline uint64_t wcm__arch_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/* Add one to *INDEX and return what it was.  One instruction: no signal handler of the same
 * thread comes in between.  Not for what other threads write, too. */
static inline uint32_t wcm__arch_take_index(uint32_t *index)
{
	uint32_t taken = 1;

	__asm__ volatile("xaddl %0, %1" : "+r"(taken), "+m"(*index) : : "cc");
	return taken;
}

/* Invariant TSC (Intel SDM volume 3, 18.17.1; AMD64 APM volume 3, Fn8000_0007). */
static inline bool wcm__arch_ticks_are_steady(void)
{
	enum { STEADY = 1 << 8 };
	const uint32_t highest = 0x80000000, leaf = 0x80000007;
	uint32_t answer[4];

	wcm__cpuid(highest, 0, answer);
	if (answer[0] < leaf)
		return false;
	wcm__cpuid(leaf, 0, answer);
	return answer[3] & STEADY;
}

#endif
