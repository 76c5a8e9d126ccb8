/* SPDX-License-Identifier: MIT */
/* clock.h (SAFE) - tells the time, in a way that ends every wait; pauses and timers. */
#ifndef WCM_OS_CLOCK_H
#define WCM_OS_CLOCK_H

#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "core/os/kernel.h"
#include "core/os/missing.h"

/* At a clock that cannot be read; one for all files. */
__attribute__((weak, visibility("hidden"))) uint64_t wcm__clock_looks;

/* The kernel's: libc's may be wider. */
struct wcm_kernel_time {
	long seconds, nanoseconds;
};

static inline struct wcm_kernel_time wcm__kernel_time(uint64_t ns)
{
	return (struct wcm_kernel_time){ .seconds = (long)(ns / 1000000000u),
					 .nanoseconds = (long)(ns % 1000000000u) };
}

/* Nanoseconds of CLOCK_MONOTONIC.  A clock that cannot be read goes on by a millisecond
 * with each look at it: what waits for a time ends by the count of its looks. */
static inline uint64_t wcm__clock_ns(void)
{
	struct wcm_kernel_time now = { 0 };

	WCM_SYSCALL(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	if (now.seconds == 0 && now.nanoseconds == 0)
		return __atomic_add_fetch(&wcm__clock_looks, 1, __ATOMIC_RELAXED) *
		       1000000u;
	return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
}

/* Nanoseconds since 1970, by CLOCK_REALTIME; 0: the clock cannot be read. */
static inline uint64_t wcm__clock_wall_ns(void)
{
#ifdef SYS_clock_gettime64 /* a CPU of 32 bits, whose other call ends in 2038 */
	int64_t now[2] = { 0 };

	WCM_SYSCALL(SYS_clock_gettime64, CLOCK_REALTIME, now);
	return (uint64_t)now[0] * 1000000000u + (uint64_t)now[1];
#else
	struct wcm_kernel_time now = { 0 };

	WCM_SYSCALL(SYS_clock_gettime, CLOCK_REALTIME, &now);
	return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
#endif
}

/* The same in seconds. */
static inline int64_t wcm__clock_date(void)
{
	return (int64_t)(wcm__clock_wall_ns() / 1000000000u);
}

/* A signal ends it early. */
static inline void wcm__nanosleep(uint64_t ns)
{
	const struct wcm_kernel_time time = wcm__kernel_time(ns);

	WCM_SYSCALL(SYS_nanosleep, &time);
}

/* A timer of the monotonic clock that fires once, in NS; -1: there is none to be had. */
static inline int wcm__timer_start(const struct sigevent *event, uint64_t ns)
{
	const struct wcm_kernel_time in[2] = { { 0 }, wcm__kernel_time(ns) };
	int timer = -1;

	if (WCM_SYSCALL(SYS_timer_create, CLOCK_MONOTONIC, event, &timer) < 0)
		return -1;
	WCM_SYSCALL(SYS_timer_settime, timer, 0, in);
	return timer;
}

static inline void wcm__timer_delete(int timer)
{
	WCM_SYSCALL(SYS_timer_delete, timer);
}

#endif
