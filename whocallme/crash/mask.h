/* SPDX-License-Identifier: MIT */
/* mask.h - sets of signals, as the kernel has them. */
#ifndef WCM_CRASH_MASK_H
#define WCM_CRASH_MASK_H

#include <signal.h>
#include <stdint.h>

#include "syscall.h"

#define WCM_MASK_ALL UINT64_MAX
#define WCM_MASK_OF(signal) (UINT64_C(1) << ((signal)-1))

/* Those that are reported. */
#define WCM_MASK_FATAL                                           \
	(WCM_MASK_OF(SIGSEGV) | WCM_MASK_OF(SIGBUS) |            \
	 WCM_MASK_OF(SIGFPE) | WCM_MASK_OF(SIGILL) |             \
	 WCM_MASK_OF(SIGABRT) | WCM_MASK_OF(SIGTRAP) |           \
	 WCM_MASK_OF(SIGSYS))

/* Block MASK and nothing else; returns what was blocked before. */
static inline uint64_t wcm__mask_set(uint64_t mask)
{
	uint64_t before = 0;

	wcm__syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&before,
		     sizeof(mask), 0, 0);
	return before;
}

#endif
