/* SPDX-License-Identifier: MIT */
/* generic/syscall.h (SAFE) - one raw system call through libc, errno put back. */
#ifndef WCM_ARCH_SYSCALL_H
#define WCM_ARCH_SYSCALL_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/arch/generic/signal_action.h"

static inline long wcm__syscall(long number, long a, long b, long c, long d,
				long e, long f)
{
	int saved = errno;
	long result = syscall(number, a, b, c, d, e, f);

	if (result == -1)
		result = -errno;
	errno = saved;
	return result;
}

#endif
