/* SPDX-License-Identifier: MIT */
/* x86_64/syscall.h (SAFE) - one raw system call (psABI, appendix A.2.1).
 *
 * Returns what the kernel returned, -4095..-1 being a negated errno; errno
 * itself is not touched, and nothing is cancelled or interposed.  An instruction that does
 * nothing marks the library's own calls, for the handler of a seccomp filter's SIGSYS.
 */
#ifndef WCM_ARCH_SYSCALL_H
#define WCM_ARCH_SYSCALL_H

#include <sys/syscall.h>

#include "core/arch/generic/signal_action.h"

/* nopl "wcm"(%rax) */
#define WCM_ARCH_SYSCALL "syscall\n\tnopl 0x6d6377(%%rax)\n\t"

static inline long wcm__syscall(long number, long a, long b, long c, long d,
				long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile(WCM_ARCH_SYSCALL
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif
