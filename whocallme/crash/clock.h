/* SPDX-License-Identifier: MIT */
/* clock.h - how late is it? */
#ifndef WCM_CRASH_CLOCK_H
#define WCM_CRASH_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "syscall.h"

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t wcm__clock_ns(void)
{
	struct timespec now = { 0 };

	wcm__syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
