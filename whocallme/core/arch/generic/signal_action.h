/* SPDX-License-Identifier: MIT */
/* generic/signal_action.h (SAFE) - the kernel's struct sigaction, on most CPUs. */
#ifndef WCM_ARCH_SIGNAL_ACTION_H
#define WCM_ARCH_SIGNAL_ACTION_H

#include <stdint.h>

/* Where a kernel has another one, it is no larger. */
struct wcm_kernel_action {
	uintptr_t handler;
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

#endif
