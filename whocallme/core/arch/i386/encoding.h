/* SPDX-License-Identifier: MIT */
/* i386/encoding.h (SAFE) - what is particular to instructions of 32-bit code. */
#ifndef WCM_ARCH_ENCODING_H
#define WCM_ARCH_ENCODING_H

#include <stdint.h>

enum { WCM_HAS_REX = 0, WCM_ENDBR_LAST = 0xfb };

/* The DWARF numbers of an instruction's registers. */
static const uint8_t wcm__column_of[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

/* An operand in memory without a base is at an address of its own. */
static inline uintptr_t wcm__operand_base(uintptr_t end)
{
	(void)end;
	return 0;
}

/* popl %eax; movl $__NR_sigreturn,%eax; int $0x80.  And movl $__NR_rt_sigreturn,%eax; int
 * $0x80. */
#define WCM_PLAIN_SIGRETURN 0x58, 0xb8, 0x77, 0x00, 0x00, 0x00, 0xcd, 0x80
#define WCM_SIGRETURNS                      \
	{ 8, { WCM_PLAIN_SIGRETURN } },     \
		{ 7, { 0xb8, 0xad, 0x00, 0x00, 0x00, 0xcd, 0x80 } }

/* Of the stack pointer at a call: 16 by the psABI (2.2.2), but by the one before that, and by
 * -mpreferred-stack-boundary=2, a word. */
enum { WCM_CALL_ALIGNMENT = 4 };

/* And so the latter is written. */
#define WCM_SIGRETURN_TEXT "movl $173, %eax\n\tint $0x80\n\t"

/* What a function begins with that may be called indirectly. */
#define WCM_ENDBR_TEXT "endbr32\n\t"

/* As trampoline.c makes them. */
enum { WCM_TRAMPOLINE_SIZE = 16, WCM_TRAMPOLINE_CALL = 5 };

#endif
