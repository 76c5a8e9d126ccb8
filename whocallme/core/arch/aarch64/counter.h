/* SPDX-License-Identifier: MIT */
/* aarch64/counter.h (SAFE) - the generic timer's virtual counter, and counting that no signal
 * splits. */
#ifndef WCM_ARCH_COUNTER_H
#define WCM_ARCH_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t wcm__arch_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* Add one to *INDEX and return what it was.  A signal handler of the same thread that comes
 * in between has the store fail, and all done again. */
static inline uint32_t wcm__arch_take_index(uint32_t *index)
{
	return __atomic_fetch_add(index, 1, __ATOMIC_RELAXED);
}

/* It runs at one rate, on all CPUs alike (Arm Architecture Reference Manual, D12.1). */
static inline bool wcm__arch_ticks_are_steady(void)
{
	return true;
}

#endif
