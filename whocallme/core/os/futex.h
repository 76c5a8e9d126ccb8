/* SPDX-License-Identifier: MIT */
/* futex.h (SAFE) - waits for a word of the process to change.  See kernel.h for where it may be
 * called. */
#ifndef WCM_OS_FUTEX_H
#define WCM_OS_FUTEX_H

#include <linux/futex.h>

#include "core/os/clock.h"

/* Wait while WORD is SEEN, until it is woken, but for NS at most. */
static inline int wcm__futex_wait(const uint32_t *word, uint32_t seen, uint64_t ns)
{
	const struct wcm_kernel_time time = wcm__kernel_time(ns);

	return (int)WCM_SYSCALL(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, &time);
}

/* Wake at most COUNT of those that wait. */
static inline void wcm__futex_wake(const uint32_t *word, int count)
{
	WCM_SYSCALL(SYS_futex, word, FUTEX_WAKE_PRIVATE, count);
}

#endif
