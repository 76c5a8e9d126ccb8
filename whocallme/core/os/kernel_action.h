/* SPDX-License-Identifier: MIT */
/* kernel_action.h (SAFE) - reads a signal's action from the kernel, past libc, and exchanges the
 * alternate stack.
 *
 * Without libc, which other libraries interpose, and which tells nobody that a seccomp
 * filter has answered 0 and done nothing.
 */
#ifndef WCM_OS_KERNEL_ACTION_H
#define WCM_OS_KERNEL_ACTION_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "core/os/kernel.h"

/* struct wcm_kernel_action, the kernel's struct sigaction, is the CPU's: see syscall.h. */

/* All bits are set where the kernel has not answered. */
static inline struct wcm_kernel_action wcm__kernel_action(int signal)
{
	struct wcm_kernel_action now = { .handler = UINTPTR_MAX, .flags = ~0ul,
					 .restorer = UINTPTR_MAX, .mask = UINT64_MAX };

	WCM_SYSCALL(SYS_rt_sigaction, signal, 0, &now, sizeof(now.mask));
	return now;
}

/* *WAS may be NULL.  An action needs a restorer on some CPUs. */
static inline int wcm__kernel_action_set(int signal, const struct wcm_kernel_action *action,
					 struct wcm_kernel_action *was)
{
	return (int)WCM_SYSCALL(SYS_rt_sigaction, signal, action, was, sizeof(action->mask));
}

/* SIG_DFL is 0 for every kernel. */
static inline void wcm__kernel_action_reset(int signal)
{
	const struct wcm_kernel_action by_default = { 0 };

	WCM_SYSCALL(SYS_rt_sigaction, signal, &by_default, 0, sizeof(by_default.mask));
}

/* Linux refuses a set of no size; valgrind and a seccomp filter may take it. */
static inline bool wcm__kernel_is_linux(void)
{
	return WCM_SYSCALL(SYS_rt_sigaction, 1) == -EINVAL;
}

/* NULL: do not set it, or do not tell. */
static inline int wcm__sigaltstack(const stack_t *set, stack_t *was)
{
	return (int)WCM_SYSCALL(SYS_sigaltstack, set, was);
}

#endif
