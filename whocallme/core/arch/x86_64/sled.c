/* SPDX-License-Identifier: MIT */
/* x86_64/sled.c (SAFE) - what a sled's call leads to.
 *
 * A call reaches 2 GiB.  It leads to a jump nearby, and that to the entry
 * below, which keeps all that a function may be given: the psABI's argument registers, the
 * static chain, the number of vector registers of a variadic call, the vector registers
 * themselves in all their width.  The state of vectors is saved in an area below the stack
 * pointer: by moves, where the CPU tells what is in use, else by the widest instruction that
 * it has, which takes three times as long.  It is not where a first stage, which leaves it
 * alone, has done all.
 */
#include <string.h>

#include "core/arch/arch.h"
#include "core/arch/x86/cpuid.h"
#include "encoding.h"

/* jmp *0(%rip), and the address. */
size_t wcm__arch_far_jump(uint8_t code[WCM_FAR_JUMP_MOST], uintptr_t to)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };

	memcpy(code, jump, sizeof(jump));
	memcpy(code + sizeof(jump), &to, sizeof(to));
	return sizeof(jump) + sizeof(to);
}

/* How vectors are saved: the components of the extended state, in its area of AREA bytes,
 * which is a multiple of 64 (Intel SDM volume 1, 13). */
enum { BY_FXSAVE, BY_XSAVE, BY_XSAVEC, BY_MOVES };

__attribute__((used, visibility("hidden"))) uint64_t wcm__sled_area = 512 + 64;
__attribute__((used, visibility("hidden"))) uint32_t wcm__sled_components;
__attribute__((used, visibility("hidden"))) uint32_t wcm__sled_way = BY_FXSAVE;
__attribute__((used, visibility("hidden"))) wcm_sled_hook *wcm__sled_hook;
__attribute__((used, visibility("hidden"))) wcm_sled_first *wcm__sled_first;
__attribute__((used, visibility("hidden"))) wcm_sled_return *wcm__sled_return;

/* Where moves save the state: registers 0 to 15 at 0, the masks at 1024, MXCSR at 1088, what
 * is in use at 1092, registers 16 to 31 at 1152. */
enum { MOVES_AREA = 2176 };

__attribute__((used, visibility("hidden"))) uint32_t wcm__sled_has_avx512;

/* Whether moves save all of AVX-512, or there is none.  Masks of 64 bits are AVX512BW's. */
static bool can_move_avx512(void)
{
	enum { BW = 1 << 30 };
	uint32_t answer[4];

	if ((wcm__sled_components & WCM_STATE_AVX512) == 0)
		return true;
	wcm__cpuid(7, 0, answer);
	wcm__sled_has_avx512 = (wcm__sled_components & WCM_STATE_AVX512) == WCM_STATE_AVX512 &&
			       (answer[1] & BW);
	return wcm__sled_has_avx512;
}

void wcm__arch_sled_prepare(wcm_sled_first *first, wcm_sled_return *returned, wcm_sled_hook *hook)
{
	enum { XGETBV_1 = 1 << 2, OSXSAVE = 1 << 27 };
	uint32_t answer[4];

	wcm__sled_first = first;
	wcm__sled_return = returned;
	wcm__sled_hook = hook;
	wcm__cpuid(0, 0, answer);
	if (answer[0] < 0xd)
		return;
	wcm__cpuid(1, 0, answer);
	if (!(answer[2] & OSXSAVE))
		return;
	wcm__sled_components = (uint32_t)wcm__enabled_components() &
			       (WCM_STATE_SSE | WCM_STATE_AVX | WCM_STATE_AVX512);
	wcm__cpuid(0xd, 0, answer);
	wcm__sled_area = (answer[1] + 63u) & ~63u;
	wcm__cpuid(0xd, 1, answer);
	wcm__sled_way = answer[0] & 2 ? BY_XSAVEC : BY_XSAVE;
	if (wcm__sled_area < MOVES_AREA)
		wcm__sled_area = MOVES_AREA;
	if ((answer[0] & XGETBV_1) && (wcm__sled_components & WCM_STATE_AVX) && can_move_avx512()) {
		wcm__sled_way = BY_MOVES;
		wcm__sled_area = MOVES_AREA;
	}
}

/* Never NULL, so that the entry need not ask. */
static void *take_none(uintptr_t *frame)
{
	(void)frame;
	return NULL;
}

__attribute__((used, visibility("hidden"))) wcm_sled_take *wcm__sled_take = take_none;
__attribute__((used, visibility("hidden"))) wcm_sled_give_back *wcm__sled_give_back;

bool wcm__arch_sled_stand_aside(wcm_sled_take *take, wcm_sled_give_back *give_back)
{
	wcm__sled_give_back = give_back;
	wcm__sled_take = take;
	return true;
}

void wcm__arch_sled_go_on(uintptr_t *frame, uintptr_t pc)
{
	frame[-10] = pc;
}

/* An instruction for each register of these numbers, which it has as \n. */
#define EACH(numbers, instruction) ".irp n, " numbers "\n\t" instruction "\n\t.endr\n\t"
#define MASKS(instruction) EACH("0, 1, 2, 3, 4, 5, 6, 7", instruction)
#define ALL_16(instruction) \
	EACH("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15", instruction)
#define UPPER_16(instruction) \
	EACH("16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31", instruction)

#define SAVE_GENERAL \
	"pushq %rbp\n\t" \
	".cfi_def_cfa_offset 16\n\t" \
	".cfi_offset %rbp, -16\n\t" \
	"movq %rsp, %rbp\n\t" \
	".cfi_def_cfa_register %rbp\n\t" \
	"pushq %rax\n\t" \
	"pushq %rcx\n\t" \
	"pushq %rdx\n\t" \
	"pushq %rsi\n\t" \
	"pushq %rdi\n\t" \
	"pushq %r8\n\t" \
	"pushq %r9\n\t" \
	"pushq %r10\n\t" \
	"pushq %r11\n\t" \
	"movq %rbp, %rdi\n\t"

#define RESTORE_AND_RETURN \
	".cfi_remember_state\n\t" \
	"popq %r11\n\t" \
	"popq %r10\n\t" \
	"popq %r9\n\t" \
	"popq %r8\n\t" \
	"popq %rdi\n\t" \
	"popq %rsi\n\t" \
	"popq %rdx\n\t" \
	"popq %rcx\n\t" \
	"popq %rax\n\t" \
	"popq %rbp\n\t" \
	".cfi_def_cfa %rsp, 8\n\t" \
	"ret\n\t" \
	".cfi_restore_state\n\t"

/* A trampoline goes on where the word below what is saved says, 96 bytes below its stack pointer:
 * signals leave that alone (psABI, 3.2.2). */
__asm__(".text\n\t"
	".globl wcm__arch_trampoline_entry\n\t"
	".hidden wcm__arch_trampoline_entry\n\t"
	".type wcm__arch_trampoline_entry, @function\n\t"
	".p2align 4\n"
	"wcm__arch_trampoline_entry:\n\t"
	".cfi_startproc\n\t"
	SAVE_GENERAL
	"callq *wcm__sled_return(%rip)\n\t"
	"testq %rax, %rax\n\t"
	"je 7f\n\t"
	"movq %rax, -80(%rbp)\n\t"
	RESTORE_AND_RETURN
	".cfi_endproc\n\t"
	".size wcm__arch_trampoline_entry, . - wcm__arch_trampoline_entry\n\t"
	".globl wcm__arch_sled_entry\n\t"
	".hidden wcm__arch_sled_entry\n\t"
	".type wcm__arch_sled_entry, @function\n\t"
	".p2align 4\n"
	"wcm__arch_sled_entry:\n\t"
	".cfi_startproc\n\t"
	WCM_ENDBR_TEXT
	SAVE_GENERAL
	"callq *wcm__sled_first(%rip)\n\t"
	"testb %al, %al\n\t"
	"jne 6f\n"
	/* The top of another stack, or 0, is at 88 bytes below. */
	"7:\tleaq -32(%rsp), %rsp\n\t"
	"movq %rbp, %rdi\n\t"
	"callq *wcm__sled_take(%rip)\n\t"
	"movq %rax, -88(%rbp)\n\t"
	"testq %rax, %rax\n\t"
	"jne 18f\n"
	"8:\tandq $-64, %rsp\n\t"
	"subq wcm__sled_area(%rip), %rsp\n\t"
	"cmpl $3, wcm__sled_way(%rip)\n\t"
	"je 10f\n\t"
	/* The header of the area says what is in it, and is zero where it says nothing. */
	"xorl %edx, %edx\n\t"
	EACH("0, 8, 16, 24, 32, 40, 48, 56", "movq %rdx, 512+\\n(%rsp)")
	"movl wcm__sled_components(%rip), %eax\n\t"
	"cmpl $1, wcm__sled_way(%rip)\n\t"
	"jb 1f\n\t"
	"je 2f\n\t"
	"xsavec (%rsp)\n\t"
	"jmp 3f\n"
	"1:\tfxsave (%rsp)\n\t"
	"jmp 3f\n"
	"2:\txsave (%rsp)\n"
	"3:\tmovq %rbp, %rdi\n\t"
	"callq *wcm__sled_hook(%rip)\n\t"
	"xorl %edx, %edx\n\t"
	"movl wcm__sled_components(%rip), %eax\n\t"
	"cmpl $1, wcm__sled_way(%rip)\n\t"
	"jb 4f\n\t"
	"xrstor (%rsp)\n\t"
	"jmp 5f\n"
	"4:\tfxrstor (%rsp)\n"
	"5:\tmovq -88(%rbp), %rdi\n\t"
	"testq %rdi, %rdi\n\t"
	"jne 19f\n"
	"9:\tleaq -72(%rbp), %rsp\n"
	"6:\t" RESTORE_AND_RETURN
	"18:\tmovq %rax, %rsp\n\t"
	"jmp 8b\n"
	"19:\tleaq -104(%rbp), %rsp\n\t"
	"callq *wcm__sled_give_back(%rip)\n\t"
	"jmp 9b\n"
	/* What is above 128 or 256 bits is not touched where it is not in use, for then
	 * instructions of SSE would be slower ever after. */
	"10:\tmovl $1, %ecx\n\t"
	"xgetbv\n\t"
	"movl %eax, 1092(%rsp)\n\t"
	"stmxcsr 1088(%rsp)\n\t"
	"testl $0x44, %eax\n\t"
	"je 11f\n\t"
	"testl $0x40, %eax\n\t"
	"je 12f\n\t"
	ALL_16("vmovdqa64 %zmm\\n, 64*\\n(%rsp)")
	"jmp 13f\n"
	"11:\t" ALL_16("movaps %xmm\\n, 16*\\n(%rsp)")
	"jmp 13f\n"
	"12:\t" ALL_16("vmovdqa %ymm\\n, 32*\\n(%rsp)")
	"13:\tcmpl $0, wcm__sled_has_avx512(%rip)\n\t"
	"je 14f\n\t"
	UPPER_16("vmovdqa64 %zmm\\n, 1152-1024+64*\\n(%rsp)")
	MASKS("kmovq %k\\n, 1024+8*\\n(%rsp)")
	"14:\tmovq %rbp, %rdi\n\t"
	"callq *wcm__sled_hook(%rip)\n\t"
	"cmpl $0, wcm__sled_has_avx512(%rip)\n\t"
	"je 15f\n\t"
	UPPER_16("vmovdqa64 1152-1024+64*\\n(%rsp), %zmm\\n")
	MASKS("kmovq 1024+8*\\n(%rsp), %k\\n")
	"15:\tvzeroupper\n\t"
	"movl 1092(%rsp), %eax\n\t"
	"ldmxcsr 1088(%rsp)\n\t"
	"testl $0x44, %eax\n\t"
	"je 16f\n\t"
	"testl $0x40, %eax\n\t"
	"je 17f\n\t"
	ALL_16("vmovdqa64 64*\\n(%rsp), %zmm\\n")
	"jmp 5b\n"
	"16:\t" ALL_16("movaps 16*\\n(%rsp), %xmm\\n")
	"jmp 5b\n"
	"17:\t" ALL_16("vmovdqa 32*\\n(%rsp), %ymm\\n")
	"jmp 5b\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_sled_entry, . - wcm__arch_sled_entry");
