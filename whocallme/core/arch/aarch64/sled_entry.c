/* SPDX-License-Identifier: MIT */
/* aarch64/sled_entry.c (SAFE) - what the stubs of sleds, and the trampolines, lead to.
 *
 * It keeps all that a function may be given or give back (AAPCS64, 6.8): x0 to x8, x18, which
 * may be the static chain, and the temporary registers as well, which some calling conventions
 * keep.  Vectors, and where there is SVE those and the predicates, are saved where a first
 * stage, which leaves them alone, has not done all.
 *
 * The frame of a sled's entry is described as one that has interrupted the function behind its
 * NOPs, where call frame information begins, with column 16 for the return address: so the function
 * is seen, and x30 is still its own.
 */
#include "core/arch/arch.h"
#include "encoding.h"

_Static_assert(WCM_SAVED_WORDS == 22, "of 8 bytes: as the assembler has it");

__attribute__((used, visibility("hidden"))) wcm_sled_hook *wcm__sled_hook;
__attribute__((used, visibility("hidden"))) wcm_sled_first *wcm__sled_first;
__attribute__((used, visibility("hidden"))) wcm_sled_return *wcm__sled_return;
__attribute__((used, visibility("hidden"))) uint64_t wcm__sled_has_sve;

/* The kernel shows of ID_AA64PFR0_EL1 what programs may use (Documentation/arm64/
 * cpu-feature-registers). */
static bool has_sve(void)
{
	enum { SVE_AT = 32, MASK = 15 };
	uint64_t features;

	__asm__("mrs %0, id_aa64pfr0_el1" : "=r"(features));
	return (features >> SVE_AT & MASK) != 0;
}

void wcm__arch_sled_prepare(wcm_sled_first *first, wcm_sled_return *returned, wcm_sled_hook *hook)
{
	wcm__sled_has_sve = has_sve();
	wcm__sled_first = first;
	wcm__sled_return = returned;
	wcm__sled_hook = hook;
}

bool wcm__arch_sled_stand_aside(wcm_sled_take *take, wcm_sled_give_back *give_back)
{
	(void)take, (void)give_back;
	return false;
}

void wcm__arch_sled_go_on(uintptr_t *frame, uintptr_t pc)
{
	frame[WCM_SAVED_RETURN] = pc;
}

#define SAVE_GENERAL \
	"stp x29, x30, [sp, #-176]!\n\t" \
	".cfi_def_cfa_offset 176\n\t" \
	".cfi_offset x29, -176\n\t" \
	".cfi_offset x30, -168\n\t" \
	"mov x29, sp\n\t" \
	".cfi_def_cfa_register x29\n\t" \
	"stp x0, x1, [sp, #32]\n\t" \
	"stp x2, x3, [sp, #48]\n\t" \
	"stp x4, x5, [sp, #64]\n\t" \
	"stp x6, x7, [sp, #80]\n\t" \
	"stp x8, x9, [sp, #96]\n\t" \
	"stp x10, x11, [sp, #112]\n\t" \
	"stp x12, x13, [sp, #128]\n\t" \
	"stp x14, x15, [sp, #144]\n\t" \
	"str x18, [sp, #160]\n\t" \
	"mov x0, sp\n\t"

#define RESTORE_GENERAL \
	"ldp x0, x1, [sp, #32]\n\t" \
	"ldp x2, x3, [sp, #48]\n\t" \
	"ldp x4, x5, [sp, #64]\n\t" \
	"ldp x6, x7, [sp, #80]\n\t" \
	"ldp x8, x9, [sp, #96]\n\t" \
	"ldp x10, x11, [sp, #112]\n\t" \
	"ldp x12, x13, [sp, #128]\n\t" \
	"ldp x14, x15, [sp, #144]\n\t" \
	"ldr x18, [sp, #160]\n\t"

#define LEAVE_FRAME \
	"ldp x29, x30, [sp], #176\n\t" \
	".cfi_restore x29\n\t" \
	".cfi_restore x30\n\t" \
	".cfi_def_cfa sp, 0\n\t"

#define CALL_VARIABLE(name) \
	"adrp x17, " #name "\n\t" \
	"ldr x17, [x17, #:lo12:" #name "]\n\t" \
	"blr x17\n\t"

/* The column 16 where x16 leads to the stub's last jump: where that leads to.  Of the 26 bits
 * of its distance the last are at the top, then behind the sign; DW_OP_breg16 0, deref_size 4,
 * const1u 38, shl, const1u 36, shra, breg16 0, plus. */
#define BEHIND_SLED ".cfi_escape 0x16, 16, 13, 0x80, 0, 0x94, 4, 0x08, 38, 0x24, 0x08, 36, " \
	"0x26, 0x80, 0, 0x22\n\t"

/* Where the stub's jump leads to is kept, to be asked for, and where that is, to go on. */
__asm__(".text\n\t"
	".globl wcm__arch_sled_entry\n\t"
	".hidden wcm__arch_sled_entry\n\t"
	".type wcm__arch_sled_entry, %function\n\t"
	".p2align 4\n"
	"wcm__arch_sled_entry:\n\t"
	".cfi_startproc\n\t"
	".cfi_return_column x16\n\t"
	".cfi_signal_frame\n\t"
	BEHIND_SLED
	WCM_LANDING_TEXT
	SAVE_GENERAL
	"ldr w17, [x16]\n\t"
	"sbfiz x17, x17, #2, #26\n\t"
	"add x17, x17, x16\n\t"
	"stp x17, x16, [sp, #16]\n\t"
	".cfi_offset x16, -160\n\t"
	CALL_VARIABLE(wcm__sled_first)
	"tbnz w0, #0, 1f\n\t"
	"mov x0, x29\n\t"
	"bl wcm__arch_sled_whole\n"
	"1:\t" RESTORE_GENERAL
	"ldr x16, [sp, #24]\n\t"
	BEHIND_SLED
	LEAVE_FRAME
	"br x16\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_sled_entry, . - wcm__arch_sled_entry");

/* A trampoline goes on by a return: no jump may lead to what is behind a call. */
__asm__(".text\n\t"
	".globl wcm__arch_trampoline_entry\n\t"
	".hidden wcm__arch_trampoline_entry\n\t"
	".type wcm__arch_trampoline_entry, %function\n\t"
	".p2align 4\n"
	"wcm__arch_trampoline_entry:\n\t"
	".cfi_startproc\n\t"
	SAVE_GENERAL
	"str x30, [sp, #16]\n\t"
	CALL_VARIABLE(wcm__sled_return)
	"cbz x0, 2f\n\t"
	"str x0, [sp, #8]\n"
	"1:\t" RESTORE_GENERAL
	".cfi_remember_state\n\t"
	LEAVE_FRAME
	"ret\n"
	".cfi_restore_state\n"
	"2:\tmov x0, x29\n\t"
	"bl wcm__arch_sled_whole\n\t"
	"b 1b\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_trampoline_entry, . - wcm__arch_trampoline_entry");

/* An instruction for each two registers of these numbers, which it has as \n and \m, or for
 * each one. */
#define EACH(numbers, instruction) ".irp n, " numbers "\n\t" instruction "\n\t.endr\n\t"
#define ALL_16(instruction) \
	EACH("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15", instruction)
#define UPPER_16(instruction) \
	EACH("16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31", instruction)
#define ALL_32(instruction) ALL_16(instruction) UPPER_16(instruction)

/* The hook, with all vector registers and what floating point has kept.  What of them SVE has
 * is counted in lengths of a vector and of a predicate, an eighth of that. */
__asm__(".text\n\t"
	".arch_extension sve\n\t"
	".type wcm__arch_sled_whole, %function\n\t"
	".p2align 4\n"
	"wcm__arch_sled_whole:\n\t"
	".cfi_startproc\n\t"
	"stp x29, x30, [sp, #-32]!\n\t"
	".cfi_def_cfa_offset 32\n\t"
	".cfi_offset x29, -32\n\t"
	".cfi_offset x30, -24\n\t"
	"mov x29, sp\n\t"
	".cfi_def_cfa_register x29\n\t"
	"mrs x16, fpcr\n\t"
	"mrs x17, fpsr\n\t"
	"stp x16, x17, [sp, #16]\n\t"
	"adrp x16, wcm__sled_has_sve\n\t"
	"ldr x16, [x16, #:lo12:wcm__sled_has_sve]\n\t"
	"cbnz x16, 1f\n\t"
	"sub sp, sp, #512\n\t"
	ALL_32("str q\\n, [sp, #16*\\n]")
	CALL_VARIABLE(wcm__sled_hook)
	ALL_32("ldr q\\n, [sp, #16*\\n]")
	"b 2f\n"
	"1:\taddvl sp, sp, #-17\n\t"
	"addvl sp, sp, #-17\n\t"
	ALL_16("str p\\n, [sp, #\\n, mul vl]")
	ALL_32("str z\\n, [sp, #2+\\n, mul vl]")
	CALL_VARIABLE(wcm__sled_hook)
	ALL_16("ldr p\\n, [sp, #\\n, mul vl]")
	ALL_32("ldr z\\n, [sp, #2+\\n, mul vl]")
	"2:\tmov sp, x29\n\t"
	"ldp x16, x17, [sp, #16]\n\t"
	"msr fpcr, x16\n\t"
	"msr fpsr, x17\n\t"
	"ldp x29, x30, [sp], #32\n\t"
	".cfi_restore x29\n\t"
	".cfi_restore x30\n\t"
	".cfi_def_cfa sp, 0\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_sled_whole, . - wcm__arch_sled_whole\n\t"
	".arch_extension nosve");

extern const uint8_t wcm__arch_sled_entry[] __attribute__((visibility("hidden")));

uintptr_t wcm__arch_sled_entry_address(void)
{
	return (uintptr_t)wcm__arch_sled_entry;
}

/* As a stub, which leads back to the return. */
__asm__(".text\n\t"
	".globl wcm__arch_empty_entry, wcm__arch_empty_pc\n\t"
	".hidden wcm__arch_empty_entry, wcm__arch_empty_pc\n\t"
	".type wcm__arch_empty_entry, %function\n\t"
	".p2align 4\n"
	"wcm__arch_empty_entry:\n\t"
	".cfi_startproc\n\t"
	WCM_LANDING_TEXT
	"adr x16, 1f\n\t"
	"b wcm__arch_sled_entry\n"
	"1:\tb wcm__arch_empty_pc\n"
	"wcm__arch_empty_pc:\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_empty_entry, . - wcm__arch_empty_entry");

extern const uint8_t wcm__arch_empty_entry[] __attribute__((visibility("hidden")));
extern const uint8_t wcm__arch_empty_pc[] __attribute__((visibility("hidden")));

uintptr_t wcm__arch_empty_entry_address(uintptr_t *pc)
{
	*pc = (uintptr_t)wcm__arch_empty_pc;
	return (uintptr_t)wcm__arch_empty_entry;
}
