/* SPDX-License-Identifier: MIT */
/* i386/sled.c (SAFE) - what a sled's call leads to.
 *
 * A call reaches all addresses.  The entry below keeps all that a function may be given or
 * give back: the registers that a caller expects to lose, and the state of the x87 and of
 * vectors, which is saved in an area below the stack pointer by the widest instruction that
 * the CPU has.  It is not where a first stage, which leaves it alone, has done all.
 */
#include "core/arch/arch.h"
#include "core/arch/x86/cpuid.h"
#include "encoding.h"

size_t wcm__arch_far_jump(uint8_t code[WCM_FAR_JUMP_MOST], uintptr_t to)
{
	(void)code, (void)to;
	return 0;
}

enum { BY_FXSAVE, BY_XSAVE, BY_XSAVEC };

/* The size of the area is a multiple of 64. */
__attribute__((used, visibility("hidden"))) uint32_t wcm__sled_area = 512 + 64;
__attribute__((used, visibility("hidden"))) uint32_t wcm__sled_components;
__attribute__((used, visibility("hidden"))) uint32_t wcm__sled_way = BY_FXSAVE;
__attribute__((used, visibility("hidden"))) wcm_sled_hook *wcm__sled_hook;
__attribute__((used, visibility("hidden"))) wcm_sled_first *wcm__sled_first;
__attribute__((used, visibility("hidden"))) wcm_sled_return *wcm__sled_return;

void wcm__arch_sled_prepare(wcm_sled_first *first, wcm_sled_return *returned, wcm_sled_hook *hook)
{
	enum { OSXSAVE = 1 << 27, LEAF = 0xd, ALL = WCM_STATE_X87 | WCM_STATE_SSE | WCM_STATE_AVX |
						   WCM_STATE_AVX512 };
	uint32_t answer[4];

	wcm__sled_first = first;
	wcm__sled_return = returned;
	wcm__sled_hook = hook;
	wcm__cpuid(0, 0, answer);
	if (answer[0] < LEAF)
		return;
	wcm__cpuid(1, 0, answer);
	if (!(answer[2] & OSXSAVE))
		return;
	wcm__sled_components = (uint32_t)wcm__enabled_components() & ALL;
	wcm__cpuid(LEAF, 0, answer);
	wcm__sled_area = (answer[1] + 63u) & ~63u;
	wcm__cpuid(LEAF, 1, answer);
	wcm__sled_way = answer[0] & 2 ? BY_XSAVEC : BY_XSAVE;
}

/* No memory below the stack pointer is left alone by a signal: the entry returns there, though
 * the processor predicts another place. */
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
	frame[1] = pc;
}

/* Of the function that the sled is in: its frame pointer is saved, and what it may have in
 * registers that a callee loses.  %ebx leads to the variables. */
#define SAVE_GENERAL \
	"pushl %ebp\n\t" \
	".cfi_def_cfa_offset 8\n\t" \
	".cfi_offset %ebp, -8\n\t" \
	"movl %esp, %ebp\n\t" \
	".cfi_def_cfa_register %ebp\n\t" \
	"pushl %eax\n\t" \
	"pushl %ecx\n\t" \
	"pushl %edx\n\t" \
	"pushl %ebx\n\t" \
	".cfi_offset %ebx, -24\n\t" \
	"calll 0f\n" \
	"0:\tpopl %ebx\n\t" \
	"addl $_GLOBAL_OFFSET_TABLE_ + (. - 0b), %ebx\n\t" \
	"subl $16, %esp\n\t" \
	"andl $-16, %esp\n\t" \
	"movl %ebp, (%esp)\n\t"

#define RESTORE_AND_RETURN \
	"leal -16(%ebp), %esp\n\t" \
	".cfi_remember_state\n\t" \
	"popl %ebx\n\t" \
	".cfi_restore %ebx\n\t" \
	"popl %edx\n\t" \
	"popl %ecx\n\t" \
	"popl %eax\n\t" \
	"popl %ebp\n\t" \
	".cfi_restore %ebp\n\t" \
	".cfi_def_cfa %esp, 4\n\t" \
	"ret\n\t" \
	".cfi_restore_state\n\t"

__asm__(".text\n\t"
	".globl wcm__arch_trampoline_entry\n\t"
	".hidden wcm__arch_trampoline_entry\n\t"
	".type wcm__arch_trampoline_entry, @function\n\t"
	".p2align 4\n"
	"wcm__arch_trampoline_entry:\n\t"
	".cfi_startproc\n\t"
	SAVE_GENERAL
	"calll *wcm__sled_return@GOTOFF(%ebx)\n\t"
	"testl %eax, %eax\n\t"
	"je 7f\n\t"
	"movl %eax, 4(%ebp)\n\t"
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
	"calll *wcm__sled_first@GOTOFF(%ebx)\n\t"
	"testb %al, %al\n\t"
	"jne 6f\n"
	/* The top of another stack, or 0, is at 20 bytes below the frame's. */
	"7:\tmovl %ebp, (%esp)\n\t"
	"calll *wcm__sled_take@GOTOFF(%ebx)\n\t"
	"movl %eax, -20(%ebp)\n\t"
	"testl %eax, %eax\n\t"
	"je 8f\n\t"
	"movl %eax, %esp\n"
	"8:\tandl $-64, %esp\n\t"
	"subl wcm__sled_area@GOTOFF(%ebx), %esp\n\t"
	/* The header of the area says what is in it, and is zero where it says nothing. */
	"xorl %edx, %edx\n\t"
	".set at, 512\n\t"
	".rept 16\n\t"
	"movl %edx, at(%esp)\n\t"
	".set at, at + 4\n\t"
	".endr\n\t"
	"movl wcm__sled_components@GOTOFF(%ebx), %eax\n\t"
	"cmpl $1, wcm__sled_way@GOTOFF(%ebx)\n\t"
	"jb 1f\n\t"
	"je 2f\n\t"
	"xsavec (%esp)\n\t"
	"jmp 3f\n"
	"1:\tfxsave (%esp)\n\t"
	"jmp 3f\n"
	"2:\txsave (%esp)\n"
	/* A function that returns a number has it on the x87's stack, which a hook finds empty. */
	"3:\tfninit\n\t"
	"subl $64, %esp\n\t"
	"movl %ebp, (%esp)\n\t"
	"calll *wcm__sled_hook@GOTOFF(%ebx)\n\t"
	"addl $64, %esp\n\t"
	"xorl %edx, %edx\n\t"
	"movl wcm__sled_components@GOTOFF(%ebx), %eax\n\t"
	"cmpl $1, wcm__sled_way@GOTOFF(%ebx)\n\t"
	"jb 4f\n\t"
	"xrstor (%esp)\n\t"
	"jmp 5f\n"
	"4:\tfxrstor (%esp)\n"
	"5:\tmovl -20(%ebp), %eax\n\t"
	"testl %eax, %eax\n\t"
	"je 6f\n\t"
	"leal -32(%ebp), %esp\n\t"
	"andl $-16, %esp\n\t"
	"movl %eax, (%esp)\n\t"
	"calll *wcm__sled_give_back@GOTOFF(%ebx)\n"
	"6:\t" RESTORE_AND_RETURN
	".cfi_endproc\n\t"
	".size wcm__arch_sled_entry, . - wcm__arch_sled_entry");
