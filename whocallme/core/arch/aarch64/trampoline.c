/* SPDX-License-Identifier: MIT */
/* aarch64/trampoline.c (SAFE) - where functions return to whose return address a trace has changed.
 *
 * As x86-64's: the call frame information of all is one expression (DWARF 5, 6.4.2.3), computed
 * from the stack pointer and the trampoline's own address, and the frame of a trampoline is one
 * of which the stack pointer is given back.  The address comes from x30, the column that a
 * callee has kept it in.  Where that is signed, what is above 48 bits of it is the signature.
 */
#include "core/arch/arch.h"

#define MANY "65536"
_Static_assert(WCM_TRAMPOLINES == 65536 && WCM_TRAMPOLINE_SIZE == 8,
	       "what the assembler makes, and how many");

intptr_t wcm__arch_trampoline_distance[WCM_TRAMPOLINES];

/* Where a trampoline says how far from there its distance is: DW_OP_breg30 0, const8u
 * 0x0000fffffffffff8, and, plus_uconst 4. */
#define DISTANCE_AT \
	".cfi_escape 0x8e, 0, 0x0e, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x1a, 0x23, 4\n\t"

/* Unwinders look at the address less one: there is padding in front.  The address is that of
 * the trampoline, or of what is behind its call: its last three bits are left out. */
__asm__(".text\n\t"
	".p2align 3\n\t"
	".type wcm__arch_trampolines, %function\n\t"
	".globl wcm__arch_trampolines\n\t"
	".hidden wcm__arch_trampolines\n\t"
	".cfi_startproc\n\t"
	".cfi_def_cfa sp, 16\n\t"
	".cfi_escape 0x14, 31, 2\n\t" /* DW_CFA_val_offset: sp is the CFA less 16 */
	".cfi_escape 0x16, 30, 42\n\t" /* DW_CFA_val_expression: x30, in 42 bytes */
	DISTANCE_AT
	".cfi_escape 0x94, 4\n\t"      /* DW_OP_deref_size: 32 bits */
	".cfi_escape 0x08, 32, 0x24, 0x08, 32, 0x26\n\t" /* const1u, shl, const1u, shra: signed */
	DISTANCE_AT
	".cfi_escape 0x22\n\t"         /* DW_OP_plus: the distance */
	".cfi_escape 0x06\n\t"         /* DW_OP_deref */
	".cfi_escape 0x8f, 0x78\n\t"   /* DW_OP_breg31 -8: what the mirror calls its place */
	".cfi_escape 0x22\n\t"         /* DW_OP_plus */
	".cfi_escape 0x06\n\t"         /* DW_OP_deref */
	"nop\n\t"
	"nop\n"
	"wcm__arch_trampolines:\n\t"
	".set number, 0\n\t"
	".rept " MANY "\n\t"
	"bl wcm__arch_trampoline_entry\n\t"
	".word wcm__arch_trampoline_distance + 8 * number - .\n\t"
	".set number, number + 1\n\t"
	".endr\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_trampolines, . - wcm__arch_trampolines");

int wcm__arch_trampoline_number(uintptr_t pc)
{
	return wcm__arch_trampoline_of(pc);
}

/* chkfeat, a NOP where there are no guarded control stacks, clears the bits of what is on. */
static bool has_guarded_stack(void)
{
	register uintptr_t x16 __asm__("x16") = 1;

	__asm__ volatile("hint #40" : "+r"(x16));
	return x16 == 0;
}

/* What signs an address leaves 48 bits of it, unless the kernel is built for fewer. */
bool wcm__arch_has_shadow_stack(void)
{
	const uintptr_t all = ((uintptr_t)1 << 48) - 1;

	return has_guarded_stack() || wcm__arch_strip(all) != all;
}
