/* SPDX-License-Identifier: MIT */
/* riscv64/syscall.h (SAFE) - one raw system call.
 *
 * Returns what the kernel returned, -4095..-1 being a negated errno; errno itself is not
 * touched, and nothing is cancelled or interposed.  The kernel gives all registers back but
 * a0.  An instruction that does nothing marks the library's own calls, for the handler of a
 * seccomp filter's SIGSYS: of those without effect it is one that is left to programs.
 */
#ifndef WCM_ARCH_SYSCALL_H
#define WCM_ARCH_SYSCALL_H

#include <stdint.h>
#include <sys/syscall.h>

/* The kernel's struct sigaction: a handler returns to the vDSO.  Emulators write, and read
 * their mask from, a word behind it. */
struct wcm_kernel_action {
	uintptr_t handler;
	unsigned long flags;
	uint64_t mask;
	uintptr_t restorer; /* not the kernel's */
};

#define WCM_ARCH_SYSCALL "ecall\n\tslti zero, t2, 0x63d\n\t"

static inline long wcm__syscall(long number, long a, long b, long c, long d,
				long e, long f)
{
	register long a7 __asm__("a7") = number;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	register long result __asm__("a0");

	__asm__ volatile(WCM_ARCH_SYSCALL
			 : "=r"(result)
			 : "0"(a), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
			 : "memory");
	return result;
}

#endif
