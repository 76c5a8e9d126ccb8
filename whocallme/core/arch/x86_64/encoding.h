/* SPDX-License-Identifier: MIT */
/* x86_64/encoding.h (SAFE) - what is particular to instructions of 64-bit code. */
#ifndef WCM_ARCH_ENCODING_H
#define WCM_ARCH_ENCODING_H

#include <stdint.h>

enum { WCM_HAS_REX = 1, WCM_ENDBR_LAST = 0xfa };

/* The DWARF numbers of the registers 0 to 7 of an instruction; those of others are theirs. */
static const uint8_t wcm__column_of[8] = { 0, 2, 1, 3, 7, 6, 4, 5 };

/* An operand in memory without a base is relative to the instruction's END. */
static inline uintptr_t wcm__operand_base(uintptr_t end)
{
	return end;
}

/* mov $__NR_rt_sigreturn,%rax; syscall.  gdb and libgcc know it by the same bytes, which is
 * why libc keeps them. */
#define WCM_SIGRETURNS { 9, { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 } }

/* Of the stack pointer at a call (psABI, 3.2.2). */
enum { WCM_CALL_ALIGNMENT = 16 };

/* And so it is written. */
#define WCM_SIGRETURN_TEXT "movq $15, %rax\n\tsyscall\n\t"

/* What a function begins with that may be called indirectly. */
#define WCM_ENDBR_TEXT "endbr64\n\t"

/* As trampoline.c makes them. */
enum { WCM_TRAMPOLINE_SIZE = 16, WCM_TRAMPOLINE_CALL = 5 };

#endif
