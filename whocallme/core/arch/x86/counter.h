/* SPDX-License-Identifier: MIT */
/* x86/counter.h - the time stamp counter, and counting in one instruction. */
#ifndef WCM_ARCH_COUNTER_H
#define WCM_ARCH_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

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
	uint32_t eax = 0x80000000, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	if (eax < 0x80000007)
		return false;
	eax = 0x80000007;
	ecx = 0;
	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return (edx >> 8 & 1) != 0;
}

#endif
