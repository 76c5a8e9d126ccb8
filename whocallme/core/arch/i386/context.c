/* SPDX-License-Identifier: MIT */
/* i386/context.c - the signal frames, and the thread pointer. */
#include "core/arch/arch.h"

#include <stddef.h>
#include <sys/ucontext.h>

bool wcm__arch_is_canonical(uintptr_t address)
{
	(void)address;
	return true;
}

/* The handler's return has popped pretcode: of struct rt_sigframe, the signal, two pointers
 * and the siginfo_t are in front of the ucontext_t.  Of struct sigframe, to which a trampoline
 * belongs that begins with a pop, the signal is in front of a struct sigcontext, which is
 * what a ucontext_t has as its mcontext_t. */
uintptr_t wcm__arch_signal_context(const struct wcm_regs *regs)
{
	enum { POP = 0x58, SIGNAL = 4, POINTER = 4, SIGINFO = 128 };

	if (*(const volatile uint8_t *)regs->pc == POP)
		return regs->sp + SIGNAL - offsetof(ucontext_t, uc_mcontext);
	return regs->sp + SIGNAL + 2 * POINTER + SIGINFO;
}

/* movl %gs:0, %eax; cmpl (%eax), %eax; and a load from there.  Its stack is as its caller
 * left it wherever it faults, and nothing else is in the bytes that it is aligned to. */
enum { HOLDS_SIZE = 32 };

__attribute__((naked, noinline, aligned(HOLDS_SIZE))) bool
wcm__arch_thread_pointer_holds(__attribute__((unused)) ptrdiff_t variable)
{
	__asm__("movl %gs:0, %eax\n\t"
		"movl 4(%esp), %ecx\n\t"
		"cmpl (%eax), %eax\n\t"
		"jne 1f\n\t"
		"movb (%eax,%ecx), %cl\n\t"
		"movl $1, %eax\n\t"
		"ret\n"
		"1:\txorl %eax, %eax\n\t"
		"ret\n\t"
		".p2align 5");
}

bool wcm__arch_thread_pointer_failed(void *ucontext)
{
	greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
	const uintptr_t start = (uintptr_t)wcm__arch_thread_pointer_holds;

	if ((uintptr_t)gregs[REG_EIP] - start >= HOLDS_SIZE)
		return false;
	gregs[REG_EAX] = false;
	gregs[REG_EIP] = *(const greg_t *)gregs[REG_ESP];
	gregs[REG_ESP] += (greg_t)sizeof(greg_t);
	return true;
}

bool wcm__arch_thread_pointer_get(uintptr_t *pointer)
{
	struct wcm_segment segment = { .number = wcm__arch_thread_segment() };
	const bool is_known =
		wcm__syscall(SYS_get_thread_area, (long)&segment, 0, 0, 0, 0, 0) == 0;

	*pointer = is_known ? segment.base : 0;
	return is_known;
}

/* The kernel loads the segment's register anew. */
void wcm__arch_thread_pointer_set(uintptr_t pointer)
{
	const struct wcm_segment segment = wcm__arch_segment_of(pointer);

	wcm__syscall(SYS_set_thread_area, (long)&segment, 0, 0, 0, 0, 0);
}
