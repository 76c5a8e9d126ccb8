/* SPDX-License-Identifier: MIT */
/* i386/trampoline.c (SAFE) - where functions return to whose return address a trace has changed.
 *
 * As x86-64's, in words of 4 bytes: the call frame information of all is one expression
 * (DWARF 5, 6.4.2.3), computed from the stack pointer and the trampoline's own address, and
 * the frame of a trampoline is a word long.
 */
#include "core/arch/arch.h"

#define MANY "4096"
_Static_assert(WCM_TRAMPOLINES == 4096 && WCM_TRAMPOLINE_SIZE == 16,
	       "what the assembler makes, and how many");

intptr_t wcm__arch_trampoline_distance[WCM_TRAMPOLINES];

/* Where a trampoline says how far from there its distance is: DW_OP_breg8 0, const1s -16, and,
 * plus_uconst 8. */
#define DISTANCE_AT ".cfi_escape 0x78, 0, 0x09, 0xf0, 0x1a, 0x23, 8\n\t"

/* Unwinders look at the address less one: there is padding in front.  The address is that of
 * the trampoline, or of what is behind its call: its last four bits are left out. */
__asm__(".text\n\t"
	".p2align 4\n\t"
	".type wcm__arch_trampolines, @function\n\t"
	".globl wcm__arch_trampolines\n\t"
	".hidden wcm__arch_trampolines\n\t"
	".cfi_startproc\n\t"
	".cfi_def_cfa %esp, 4\n\t"
	".cfi_escape 0x14, 4, 1\n\t" /* DW_CFA_val_offset: esp is the CFA less 4 */
	".cfi_escape 0x16, 8, 21\n\t" /* DW_CFA_val_expression: eip, in 21 bytes */
	DISTANCE_AT
	".cfi_escape 0x06\n\t"         /* DW_OP_deref */
	DISTANCE_AT
	".cfi_escape 0x22\n\t"         /* DW_OP_plus: the distance */
	".cfi_escape 0x06\n\t"         /* DW_OP_deref */
	".cfi_escape 0x74, 0x7c\n\t"   /* DW_OP_breg4 -4: where the address was */
	".cfi_escape 0x22\n\t"         /* DW_OP_plus */
	".cfi_escape 0x06\n\t"         /* DW_OP_deref */
	".fill 16, 1, 0x90\n"
	"wcm__arch_trampolines:\n\t"
	".set number, 0\n\t"
	".rept " MANY "\n\t"
	"calll wcm__arch_trampoline_entry\n\t"
	".fill 3, 1, 0xcc\n\t"
	".long wcm__arch_trampoline_distance + 4 * number - .\n\t"
	".fill 4, 1, 0xcc\n\t"
	".set number, number + 1\n\t"
	".endr\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_trampolines, . - wcm__arch_trampolines");

int wcm__arch_trampoline_number(uintptr_t pc)
{
	return wcm__arch_trampoline_of(pc);
}

/* The kernel gives none to programs of 32 bits. */
bool wcm__arch_has_shadow_stack(void)
{
	return false;
}
