/* SPDX-License-Identifier: MIT */
/* x86_64/syscall.h - one raw system call (psABI, appendix A.2.1).
 *
 * Returns what the kernel returned, -4095..-1 being a negated errno; errno
 * itself is not touched, and nothing is cancelled or interposed.
 */
#ifndef WCM_ARCH_SYSCALL_H
#define WCM_ARCH_SYSCALL_H

#include <sys/syscall.h>

static inline long wcm__syscall(long number, long a, long b, long c, long d,
				long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif
