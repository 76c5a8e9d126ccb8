/* SPDX-License-Identifier: MIT */
/* i386/syscall.h (SAFE) - one raw system call (psABI IA32, and the kernel's vdso).
 *
 * Returns what the kernel returned, -4095..-1 being a negated errno; errno itself is not
 * touched, and nothing is cancelled or interposed.  A function of its own: with the sixth
 * argument no register is left, and what the compiler knows of its frame pointer has to stay
 * true.  An instruction that does nothing marks the library's own calls, for the handler of
 * a seccomp filter's SIGSYS.
 *
 * The vdso's __kernel_vsyscall() enters the kernel in the way that the CPU is fastest by: int
 * $0x80 takes some microseconds where the kernel emulates it.  It keeps all registers, and is
 * called at the address that the kernel has told, for %gs, where libc has it, may be broken.
 */
#ifndef WCM_ARCH_SYSCALL_H
#define WCM_ARCH_SYSCALL_H

#include <stdint.h>
#include <sys/syscall.h>

#include "core/arch/generic/signal_action.h"

/* nopl "wcm"(%eax) */
#define WCM_ARCH_MARK "nopl 0x6d6377(%eax)\n\t"
#define WCM_ARCH_SYSCALL "int $0x80\n\t" WCM_ARCH_MARK

#define WCM_ARCH_TEXT_OF(value) #value
#define WCM_ARCH_TEXT(value) WCM_ARCH_TEXT_OF(value)

/* Where there is no vdso, and before its function is known. */
void wcm__kernel_int80(void);

__attribute__((naked, noinline, weak, visibility("hidden"))) void wcm__kernel_int80(void)
{
	__asm__("int $0x80\n\t"
		"ret");
}

/* One of the two. */
__attribute__((weak, visibility("hidden"))) uintptr_t wcm__kernel_entry =
	(uintptr_t)wcm__kernel_int80;

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
		"calll 0f\n"
		"0:\tpopl %eax\n\t"
		"pushl wcm__kernel_entry - 0b(%eax)\n\t"
		".cfi_adjust_cfa_offset 4\n\t"
		"movl 24(%esp), %eax\n\t"
		"movl 28(%esp), %ebx\n\t"
		"movl 32(%esp), %ecx\n\t"
		"movl 36(%esp), %edx\n\t"
		"movl 40(%esp), %esi\n\t"
		"movl 44(%esp), %edi\n\t"
		"movl 48(%esp), %ebp\n\t"
		"calll *(%esp)\n\t"
		WCM_ARCH_MARK
		"popl %ebx\n\t"
		".cfi_adjust_cfa_offset -4\n\t"
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
