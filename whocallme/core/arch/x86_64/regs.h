/* SPDX-License-Identifier: MIT */
/* x86_64/regs.h (SAFE) - the System V psABI's frame, as rules. */
#ifndef WCM_ARCH_REGS_H
#define WCM_ARCH_REGS_H

#include "core/arch/x86/counter.h"
#include "core/arch/x86/sled_frame.h"
#include "core/arch/x86_64/library_stub.h"
#include "syscall.h"

enum { WCM_PASSED_IS_KNOWN = 1 };

static inline uintptr_t wcm__arch_strip(uintptr_t ra)
{
	return ra;
}

/* push %rbp; mov %rsp,%rbp */
static const struct wcm_rule wcm__arch_frame_rule = {
	.base = WCM_BASE_FP, .cfa_off = 16,
	.ra_saved = true, .ra_off = -8,
	.fp_saved = true, .fp_off = -16,
};

/* call has just pushed the return address. */
static const struct wcm_rule wcm__arch_call_rule = {
	.base = WCM_BASE_SP, .cfa_off = 8,
	.ra_saved = true, .ra_off = -8,
};

/* What a callee preserves, and where we are.  Inlined, so that the state is that
 * of the caller's frame, at the instruction that reads the pc. */
__attribute__((always_inline)) static inline void
wcm__arch_registers_here(struct wcm_registers *registers)
{
	uintptr_t *value = registers->value;

	__asm__ volatile("leaq 0(%%rip), %%rax\n\t"
			 "movq %%rax, %[pc]\n\t"
			 "movq %%rbx, %[rbx]\n\t"
			 "movq %%rbp, %[rbp]\n\t"
			 "movq %%rsp, %[rsp]\n\t"
			 "movq %%r12, %[r12]\n\t"
			 "movq %%r13, %[r13]\n\t"
			 "movq %%r14, %[r14]\n\t"
			 "movq %%r15, %[r15]"
			 : [pc] "=m"(registers->pc), [rbx] "=m"(value[3]),
			   [rbp] "=m"(value[6]), [rsp] "=m"(value[7]),
			   [r12] "=m"(value[12]), [r13] "=m"(value[13]),
			   [r14] "=m"(value[14]), [r15] "=m"(value[15])
			 :
			 : "rax");
	registers->known = WCM_COLUMNS_PRESERVED;
}

/* Where the function that this one returns to stands: a macro, for the frame is that
 * of the function it is written in, which keeps a frame pointer. */
#define WCM_ARCH_CALLER()                                                     \
	((struct wcm_regs){                                                   \
		.pc = (uintptr_t)__builtin_return_address(0),                 \
		.sp = (uintptr_t)__builtin_frame_address(0) + 16,             \
		.fp = *(const uintptr_t *)__builtin_frame_address(0),         \
	})

/* rbx, which the callee preserves, keeps the stack pointer meanwhile. */
static inline bool wcm__arch_call_on(void *top, void (*function)(void *argument),
				     void *argument)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "callq *%[function]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(argument), [function] "+a"(function)
			 : [top] "r"(top)
			 : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11",
			   "cc", "memory");
	return true;
}

static inline uintptr_t wcm__arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("movq %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/* What the kernel takes for a clone's arguments is in the same registers behind it,
 * in both threads (clone(2)), which the stack pointer tells apart: 0 may be a seccomp
 * filter's answer, where there is no child.  The first word at a thread pointer is itself. */
static inline long wcm__arch_spawn(long flags, void *top, void *tls,
				   void (*function)(void))
{
	register void *area __asm__("r8") = tls;
	long result;

	*(void **)tls = tls;
	__asm__ volatile(WCM_ARCH_SYSCALL
			 "cmpq %%rsi, %%rsp\n\t"
			 "jne 1f\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "callq *%[function]\n\t"
			 "hlt\n"
			 "1:"
			 : "=a"(result)
			 : "0"(SYS_clone), "D"(flags), "S"(top), "r"(area),
			   [function] "b"(function)
			 : "rcx", "r11", "cc", "memory");
	return result;
}

/* The new process has our registers, but for rax, the stack pointer and what the
 * instruction spoils; its first frame is marked by a zero rbp (psABI, 3.4.1). */
static inline long wcm__arch_clone(long flags, void *top,
				   long (*function)(void *argument),
				   void *argument)
{
	register long (*r12)(void *) __asm__("r12") = function;
	register void *r13 __asm__("r13") = argument;
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	long result;

	__asm__ volatile(WCM_ARCH_SYSCALL
			 "cmpq %%rsi, %%rsp\n\t"
			 "jne 1f\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "movq %%r13, %%rdi\n\t"
			 "callq *%%r12\n\t"
			 "movq %%rax, %%rdi\n\t"
			 "movl %[exit], %%eax\n\t"
			 "syscall\n\t"
			 "hlt\n"
			 "1:"
			 : "=a"(result)
			 : "0"(SYS_clone), "D"(flags), "S"(top), "d"(0L),
			   "r"(r10), "r"(r8), "r"(r12), "r"(r13),
			   [exit] "i"(SYS_exit_group)
			 : "rcx", "r11", "cc", "memory");
	return result;
}

/* EFLAGS.AC has each access that is not aligned fail, and the kernel leaves it to handlers. */
#define WCM_ARCH_ALLOW_MISALIGNED() \
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~0x40000ull)

#endif
