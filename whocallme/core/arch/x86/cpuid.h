/* SPDX-License-Identifier: MIT */
/* x86/cpuid.h (SAFE) - what the CPU and the kernel say of the extended state (Intel SDM volume
 * 1, 13). */
#ifndef WCM_ARCH_CPUID_H
#define WCM_ARCH_CPUID_H

#include <stdint.h>

static inline void wcm__cpuid(uint32_t leaf, uint32_t subleaf, uint32_t answer[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(answer[0]), "=b"(answer[1]), "=c"(answer[2]), "=d"(answer[3])
			 : "0"(leaf), "2"(subleaf));
}

/* Which components the kernel saves, where it has them saved at all. */
static inline uint64_t wcm__enabled_components(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

/* Components (13.1). */
enum { WCM_STATE_X87 = 1 << 0, WCM_STATE_SSE = 1 << 1, WCM_STATE_AVX = 1 << 2,
       WCM_STATE_AVX512 = 7 << 5 };

#endif
