/* SPDX-License-Identifier: MIT */
/* x86_64/context.c (SAFE) - the signal frame, and the thread pointer. */
#include "core/arch/arch.h"

#include "core/arch/x86/cpuid.h"
#include "gregs.h"

static bool has_bits(uintptr_t address, unsigned bits)
{
	const intptr_t sign = (intptr_t)address >> (bits - 1);

	return sign == 0 || sign == -1;
}

/* Whether page tables may have five levels (LA57).  Whether they have is the kernel's choice. */
static bool may_have_57_bits(void)
{
	uint32_t answer[4];

	wcm__cpuid(0, 0, answer);
	if (answer[0] < 7)
		return false;
	wcm__cpuid(7, 0, answer);
	return answer[2] & 1u << 16;
}

/* An address that is canonical if there are five levels is not called otherwise. */
bool wcm__arch_is_canonical(uintptr_t address)
{
	return has_bits(address, 48) || (has_bits(address, 57) && may_have_57_bits());
}

uintptr_t wcm__arch_signal_context(const struct wcm_regs *regs, wcm_reader *read)
{
	(void)read;
	/* struct rt_sigframe: the handler's return popped pretcode. */
	return regs->sp;
}

/* movq %fs:0, %rax; cmpq (%rax), %rax; and a load from there.  Its stack is as its caller
 * left it wherever it faults, and nothing else is in the bytes that it is aligned to. */
__attribute__((naked, noinline, aligned(WCM_HOLDS_SIZE))) bool
wcm__arch_thread_pointer_holds(__attribute__((unused)) ptrdiff_t variable)
{
	__asm__("movq %fs:0, %rax\n\t"
		"cmpq (%rax), %rax\n\t"
		"jne 1f\n\t"
		"movb (%rax,%rdi), %cl\n\t"
		"movl $1, %eax\n\t"
		"ret\n"
		"1:\txorl %eax, %eax\n\t"
		"ret\n\t"
		".p2align 5");
}

/* arch_prctl(2): <asm/prctl.h> is not with every libc. */
enum { SET_FS = 0x1002, GET_FS = 0x1003 };

bool wcm__arch_thread_pointer_get(uintptr_t *pointer)
{
	*pointer = 0;
	return wcm__syscall(SYS_arch_prctl, GET_FS, (long)pointer, 0, 0, 0, 0) == 0;
}

void wcm__arch_thread_pointer_set(uintptr_t pointer)
{
	wcm__syscall(SYS_arch_prctl, SET_FS, (long)pointer, 0, 0, 0, 0);
}
