/* SPDX-License-Identifier: MIT */
/* ticks.h - reads the time in a few nanoseconds.
 *
 * It is the CPU's counter where that runs at one rate on all CPUs, else the clock.
 */
#ifndef WCM_PROBE_TICKS_H
#define WCM_PROBE_TICKS_H

#include <stdint.h>

#include "core/arch/arch.h"

/* now = NS + (counter - COUNTER) * RATE / 2^32; RATE 0: ask the clock. */
struct wcm_ticks {
	uint64_t counter, ns, rate;
};

extern struct wcm_ticks wcm__ticks __attribute__((visibility("hidden")));

extern __thread uint64_t wcm__ticks_latest
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Begin to find out how the counter relates to CLOCK_MONOTONIC; idempotent. */
void wcm__ticks_prepare(void);

/* What the clock says.  A millisecond after the beginning, the first to ask it finds out the
 * counter's rate. */
uint64_t wcm__ticks_clock(void);

/* As wcm__ticks_after(), where the counter tells the time, of which RATE is not 0. */
static inline uint64_t wcm__ticks_counted(uint64_t rate, uint64_t latest)
{
	const uint64_t now = wcm__ticks.ns +
			     wcm__arch_scaled(wcm__arch_ticks() - wcm__ticks.counter, rate);

	return now < latest ? latest : now;
}

/* Nanoseconds of CLOCK_MONOTONIC, or as good as, but no less than LATEST. */
static inline uint64_t wcm__ticks_after(uint64_t latest)
{
	const uint64_t rate = __atomic_load_n(&wcm__ticks.rate, __ATOMIC_ACQUIRE);
	uint64_t now;

	if (__builtin_expect(rate != 0, 1))
		return wcm__ticks_counted(rate, latest);
	now = wcm__ticks_clock();
	return now < latest ? latest : now;
}

/* The same, never less than before on the same thread. */
static inline uint64_t wcm__ticks_ns(void)
{
	return wcm__ticks_latest = wcm__ticks_after(wcm__ticks_latest);
}

#endif
