/* SPDX-License-Identifier: MIT */
/* kernel.h (SAFE) - a system call with as many arguments as it takes, for the headers here.
 *
 * memory.h, file.h, socket.h, process.h, futex.h, clock.h and mask.h make of it what other
 * folders call: functions with the names of their man pages.  They return a result, or a
 * negated errno, and leave errno alone.  They are inline and call nothing but the CPU's
 * syscall.h, so that, with a port, nothing is cancelled or interposed, and they may be called
 * in a signal handler, before the library has been relocated, and in a child of vfork(2).
 */
#ifndef WCM_OS_KERNEL_H
#define WCM_OS_KERNEL_H

#include <stdbool.h>

#include "syscall.h"

#define WCM_SYSCALL(...) WCM_SYSCALL_6(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define WCM_SYSCALL_6(number, a, b, c, d, e, f, ...)                              \
	wcm__syscall(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), \
		     (long)(f))

/* Of a result that may be an address. */
static inline bool wcm__is_error(long result)
{
	return result < 0 && result > -4096;
}

#endif
