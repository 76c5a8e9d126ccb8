/* SPDX-License-Identifier: MIT */
/* i386/syscall.h - one raw system call (psABI IA32, and the kernel's entry of int $0x80).
 *
 * Returns what the kernel returned, -4095..-1 being a negated errno; errno itself is not
 * touched, and nothing is cancelled or interposed.  A function of its own: with the sixth
 * argument no register is left, and what the compiler knows of its frame pointer has to stay
 * true.  An instruction that does nothing marks the library's own calls, for the handler of
 * a seccomp filter's SIGSYS.
 */
#ifndef WCM_ARCH_SYSCALL_H
#define WCM_ARCH_SYSCALL_H

#include <sys/syscall.h>

/* nopl "wcm"(%eax) */
#define WCM_ARCH_SYSCALL "int $0x80\n\tnopl 0x6d6377(%eax)\n\t"

#define WCM_ARCH_TEXT_OF(value) #value
#define WCM_ARCH_TEXT(value) WCM_ARCH_TEXT_OF(value)

long wcm__syscall(long number, long a, long b, long c, long d, long e, long f);

/* One for all files. */
__attribute__((naked, noinline, weak, visibility("hidden"))) long
wcm__syscall(__attribute__((unused)) long number, __attribute__((unused)) long a,
	     __attribute__((unused)) long b, __attribute__((unused)) long c,
	     __attribute__((unused)) long d, __attribute__((unused)) long e,
	     __attribute__((unused)) long f)
{
	__asm__("pushl %ebp\n\t"
		".cfi_adjust_cfa_offset 4\n\t"
		".cfi_rel_offset %ebp, 0\n\t"
		"pushl %edi\n\t"
		".cfi_adjust_cfa_offset 4\n\t"
		".cfi_rel_offset %edi, 0\n\t"
		"pushl %esi\n\t"
		".cfi_adjust_cfa_offset 4\n\t"
		".cfi_rel_offset %esi, 0\n\t"
		"pushl %ebx\n\t"
		".cfi_adjust_cfa_offset 4\n\t"
		".cfi_rel_offset %ebx, 0\n\t"
		"movl 20(%esp), %eax\n\t"
		"movl 24(%esp), %ebx\n\t"
		"movl 28(%esp), %ecx\n\t"
		"movl 32(%esp), %edx\n\t"
		"movl 36(%esp), %esi\n\t"
		"movl 40(%esp), %edi\n\t"
		"movl 44(%esp), %ebp\n\t"
		WCM_ARCH_SYSCALL
		"popl %ebx\n\t"
		".cfi_adjust_cfa_offset -4\n\t"
		".cfi_restore %ebx\n\t"
		"popl %esi\n\t"
		".cfi_adjust_cfa_offset -4\n\t"
		".cfi_restore %esi\n\t"
		"popl %edi\n\t"
		".cfi_adjust_cfa_offset -4\n\t"
		".cfi_restore %edi\n\t"
		"popl %ebp\n\t"
		".cfi_adjust_cfa_offset -4\n\t"
		".cfi_restore %ebp\n\t"
		"ret");
}

#endif
