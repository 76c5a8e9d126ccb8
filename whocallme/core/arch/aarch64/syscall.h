/* SPDX-License-Identifier: MIT */
/* aarch64/syscall.h (SAFE) - one raw system call (the kernel's entry of svc).
 *
 * Returns what the kernel returned, -4095..-1 being a negated errno; errno itself is not
 * touched, and nothing is cancelled or interposed.  An instruction that does nothing marks
 * the library's own calls, for the handler of a seccomp filter's SIGSYS.
 */
#ifndef WCM_ARCH_SYSCALL_H
#define WCM_ARCH_SYSCALL_H

#include <sys/syscall.h>

#include "core/arch/generic/signal_action.h"

/* movz xzr, #"wc": no compiler makes it. */
#define WCM_ARCH_SYSCALL "svc #0\n\tmovz xzr, #0x6377\n\t"
enum { WCM_ARCH_SYSCALL_MARK = (int)(0xd2800000u | 0x6377u << 5 | 31u) };

static inline long wcm__syscall(long number, long a, long b, long c, long d,
				long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile(WCM_ARCH_SYSCALL
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
}

#endif
