/* SPDX-License-Identifier: MIT */
/* kernel_action.h - the action of a signal as the kernel has it.
 *
 * Without libc, which other libraries interpose, and which tells nobody that a seccomp
 * filter has answered 0 and done nothing.
 */
#ifndef WCM_OS_KERNEL_ACTION_H
#define WCM_OS_KERNEL_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "syscall.h"

/* The kernel's struct sigaction, on most CPUs; on all it is no larger. */
struct wcm_kernel_action {
	uintptr_t handler;
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

/* All bits are set where the kernel has not answered. */
static inline struct wcm_kernel_action wcm__kernel_action(int signal)
{
	struct wcm_kernel_action now = { UINTPTR_MAX, ~0ul, UINTPTR_MAX, UINT64_MAX };

	wcm__syscall(SYS_rt_sigaction, signal, 0, (long)&now, sizeof(now.mask), 0,
		     0);
	return now;
}

/* SIG_DFL is 0 for every kernel. */
static inline void wcm__kernel_action_reset(int signal)
{
	const struct wcm_kernel_action by_default = { 0 };

	wcm__syscall(SYS_rt_sigaction, signal, (long)&by_default, 0,
		     sizeof(by_default.mask), 0, 0);
}

#endif
