/* SPDX-License-Identifier: MIT */
/* ticks.h - what time is it, for a few nanoseconds?
 *
 * The CPU's counter, where it runs at one rate on all CPUs, else the clock.
 */
#ifndef WCM_HOOK_TICKS_H
#define WCM_HOOK_TICKS_H

#include <stdint.h>

/* Find out how the counter relates to CLOCK_MONOTONIC; idempotent.  Not for a
 * handler: it takes a few milliseconds. */
void wcm__ticks_prepare(void);

/* Nanoseconds of CLOCK_MONOTONIC, or as good as.  Never less than before on the
 * same thread. */
uint64_t wcm__ticks_ns(void);

#endif
