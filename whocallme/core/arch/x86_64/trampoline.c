/* SPDX-License-Identifier: MIT */
/* x86_64/trampoline.c (SAFE) - where functions return to whose return address a trace has changed.
 *
 * A trampoline serves the functions whose return addresses lie in one range of the stack.  The
 * true one lies elsewhere, wcm__arch_trampoline_distance[] from where it was.  So the
 * call frame information of all of them is the same expression (DWARF 5, 6.4.2.3), computed
 * from the stack pointer and the trampoline's own address: every unwinder that reads it
 * passes them, and none has to be told.
 *
 * The frame of a trampoline is a word long, and the stack pointer is given back: would the
 * CFA be the stack pointer, it were that of the function which returns, and unwinders would
 * take one for the other.
 */
#include "core/arch/arch.h"

#define MANY "65536"
_Static_assert(WCM_TRAMPOLINES == 65536 && WCM_TRAMPOLINE_SIZE == 16,
	       "what the assembler makes, and how many");

intptr_t wcm__arch_trampoline_distance[WCM_TRAMPOLINES];

/* Where a trampoline says how far from there its distance is: DW_OP_breg16 0, const1s -16, and,
 * plus_uconst 12.  Twice instead of DW_OP_dup, which valgrind does not know. */
#define DISTANCE_AT ".cfi_escape 0x80, 0, 0x09, 0xf0, 0x1a, 0x23, 12\n\t"

/* A trampoline goes on by a jump, for a processor predicts that a return goes behind the latest
 * call: one to elsewhere costs about 5 ns, that of the function to here as well.
 *
 * Unwinders look at the address less one: there is padding in front.  The address is that of
 * the trampoline, or of what is behind its call: its last four bits are left out.  Half of the
 * word that is loaded is meant, which is no negative number: variables lie behind the code. */
__asm__(".text\n\t"
	".p2align 4\n\t"
	".type wcm__arch_trampolines, @function\n\t"
	".globl wcm__arch_trampolines\n\t"
	".hidden wcm__arch_trampolines\n\t"
	".cfi_startproc\n\t"
	".cfi_def_cfa %rsp, 8\n\t"
	".cfi_escape 0x14, 7, 1\n\t" /* DW_CFA_val_offset: rsp is the CFA less 8 */
	".cfi_escape 0x16, 16, 27\n\t" /* DW_CFA_val_expression: rip, in 27 bytes */
	DISTANCE_AT
	".cfi_escape 0x06\n\t"         /* DW_OP_deref */
	".cfi_escape 0x0c, 0xff, 0xff, 0xff, 0xff, 0x1a\n\t" /* DW_OP_const4u, and */
	DISTANCE_AT
	".cfi_escape 0x22\n\t"         /* DW_OP_plus: the distance */
	".cfi_escape 0x06\n\t"         /* DW_OP_deref */
	".cfi_escape 0x77, 0x78\n\t"   /* DW_OP_breg7 -8: where the address was */
	".cfi_escape 0x22\n\t"         /* DW_OP_plus */
	".cfi_escape 0x06\n\t"         /* DW_OP_deref */
	".fill 16, 1, 0x90\n"
	"wcm__arch_trampolines:\n\t"
	".set number, 0\n\t"
	".rept " MANY "\n\t"
	"call wcm__arch_trampoline_entry\n\t"
	"jmp *-96(%rsp)\n\t"
	".fill 3, 1, 0xcc\n\t"
	".long wcm__arch_trampoline_distance + 8 * number - .\n\t"
	".set number, number + 1\n\t"
	".endr\n\t"
	".fill 16, 1, 0xcc\n\t" /* the last word is half of this */
	".cfi_endproc\n\t"
	".size wcm__arch_trampolines, . - wcm__arch_trampolines");

int wcm__arch_trampoline_number(uintptr_t pc)
{
	return wcm__arch_trampoline_of(pc);
}

/* RDSSPQ leaves the register alone where there is none (Intel SDM volume 1, 17). */
bool wcm__arch_has_shadow_stack(void)
{
	uintptr_t pointer = 0;

	__asm__ volatile("rdsspq %0" : "+r"(pointer));
	return pointer != 0;
}
