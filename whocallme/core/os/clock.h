/* SPDX-License-Identifier: MIT */
/* clock.h - the monotonic clock, and deadlines by it. */
#ifndef WCM_OS_CLOCK_H
#define WCM_OS_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "syscall.h"

/* At a clock that cannot be read; one for all files. */
__attribute__((weak, visibility("hidden"))) uint64_t wcm__clock_looks;

/* Nanoseconds of CLOCK_MONOTONIC.  A clock that cannot be read goes on by a millisecond
 * with each look at it: what waits for a time ends by the count of its looks. */
static inline uint64_t wcm__clock_ns(void)
{
	struct timespec now = { 0 };

	wcm__syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
	if (now.tv_sec == 0 && now.tv_nsec == 0)
		return __atomic_add_fetch(&wcm__clock_looks, 1, __ATOMIC_RELAXED) *
		       1000000u;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
