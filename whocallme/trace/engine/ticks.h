/* SPDX-License-Identifier: MIT */
/* ticks.h (SAFE) - reads the time in a few nanoseconds.
 *
 * It is the CPU's counter where that runs at one rate on all CPUs, else the clock.
 */
#ifndef WCM_PROBE_TICKS_H
#define WCM_PROBE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arch/arch.h"

/* now = NS + (counter - COUNTER) * RATE / 2^32, while counter - COUNTER is less than UNTIL; else
 * the clock tells. */
struct wcm_ticks {
	uint64_t counter, ns, rate, until;
};

extern struct wcm_ticks wcm__ticks __attribute__((visibility("hidden")));

extern __thread uint64_t wcm__ticks_latest
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Begin to find out how the counter relates to CLOCK_MONOTONIC; idempotent. */
void wcm__ticks_prepare(void);

/* What the clock says.  Where the counter's rate is to be measured again, the first to come does
 * it. */
uint64_t wcm__ticks_clock(void);

/* As wcm__ticks_after(), where the counter tells the time; else false. */
__attribute__((always_inline)) static inline bool
wcm__ticks_counted(uint64_t latest, uint64_t *now)
{
	const uint64_t ticks = wcm__arch_ticks() - wcm__ticks.counter;

	if (__builtin_expect(ticks >= __atomic_load_n(&wcm__ticks.until, __ATOMIC_ACQUIRE), 0))
		return false;
	*now = wcm__ticks.ns + wcm__arch_scaled(ticks, wcm__ticks.rate);
	if (*now < latest)
		*now = latest;
	return true;
}

/* Nanoseconds of CLOCK_MONOTONIC, or as good as, but no less than LATEST. */
static inline uint64_t wcm__ticks_after(uint64_t latest)
{
	uint64_t now;

	if (__builtin_expect(wcm__ticks_counted(latest, &now), 1))
		return now;
	now = wcm__ticks_clock();
	return now < latest ? latest : now;
}

/* The same, never less than before on the same thread. */
static inline uint64_t wcm__ticks_ns(void)
{
	return wcm__ticks_latest = wcm__ticks_after(wcm__ticks_latest);
}

#endif
