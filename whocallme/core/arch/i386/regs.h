/* SPDX-License-Identifier: MIT */
/* i386/regs.h (SAFE) - the IA32 psABI's frame, as rules. */
#ifndef WCM_ARCH_REGS_H
#define WCM_ARCH_REGS_H

#include <signal.h>
#include <string.h>

#include "core/arch/x86/counter.h"
#include "core/arch/generic/library_stub.h"
#include "core/arch/x86/sled_frame.h"
#include "syscall.h"

enum { WCM_PASSED_IS_KNOWN = 0 };

static inline uintptr_t wcm__arch_strip(uintptr_t ra)
{
	return ra;
}

/* push %ebp; mov %esp,%ebp */
static const struct wcm_rule wcm__arch_frame_rule = {
	.base = WCM_BASE_FP, .cfa_off = 8,
	.ra_saved = true, .ra_off = -4,
	.fp_saved = true, .fp_off = -8,
};

/* call has just pushed the return address. */
static const struct wcm_rule wcm__arch_call_rule = {
	.base = WCM_BASE_SP, .cfa_off = 4,
	.ra_saved = true, .ra_off = -4,
};

/* What a callee preserves, and where we are.  Inlined, so that the state is that
 * of the caller's frame, at an instruction of it. */
__attribute__((always_inline)) static inline void
wcm__arch_registers_here(struct wcm_registers *registers)
{
	uintptr_t *value = registers->value;

	__asm__ volatile("calll 1f\n"
			 "1:\tpopl %[pc]\n\t"
			 "movl %%ebx, %[ebx]\n\t"
			 "movl %%esp, %[esp]\n\t"
			 "movl %%ebp, %[ebp]\n\t"
			 "movl %%esi, %[esi]\n\t"
			 "movl %%edi, %[edi]"
			 : [pc] "=m"(registers->pc), [ebx] "=m"(value[3]),
			   [esp] "=m"(value[4]), [ebp] "=m"(value[5]),
			   [esi] "=m"(value[6]), [edi] "=m"(value[7]));
	registers->known = WCM_COLUMNS_PRESERVED;
}

/* Where the function that this one returns to stands: a macro, for the frame is that
 * of the function it is written in, which keeps a frame pointer. */
#define WCM_ARCH_CALLER()                                                     \
	((struct wcm_regs){                                                   \
		.pc = (uintptr_t)__builtin_return_address(0),                 \
		.sp = (uintptr_t)__builtin_frame_address(0) + 8,              \
		.fp = *(const uintptr_t *)__builtin_frame_address(0),         \
	})

#define WCM_ARCH_HANDED(info, ucontext) wcm__arch_handed(__builtin_dwarf_cfa(), info, ucontext)
struct wcm_handed {
	siginfo_t *info;
	void *ucontext;
	uintptr_t *state; /* NULL: it is a ucontext_t */
	uintptr_t begins[2];
};
struct wcm_handed wcm__arch_handed(const void *cfa, siginfo_t *info, void *ucontext);

static inline void wcm__arch_handed_back(const struct wcm_handed *handed)
{
	if (handed->state)
		memcpy(handed->state, handed->begins, sizeof(handed->begins));
}

/* ebx, which the callee preserves, keeps the stack pointer meanwhile. */
static inline bool wcm__arch_call_on(void *top, void (*function)(void *argument),
				     void *argument)
{
	void **first = (void **)top - 4; /* aligned to 16 bytes as at a call */

	*first = argument;
	__asm__ volatile("movl %%esp, %%ebx\n\t"
			 "movl %[first], %%esp\n\t"
			 "calll *%[function]\n\t"
			 "movl %%ebx, %%esp"
			 : [first] "+c"(first), [function] "+a"(function)
			 :
			 : "ebx", "edx", "cc", "memory");
	return true;
}

static inline uintptr_t wcm__arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("movl %%gs:0, %0" : "=r"(pointer));
	return pointer;
}

/* libc makes its system calls by what lies there, which is 0 in a block that is lent. */
#define WCM_ARCH_THREAD_BLOCK(pointer) ((uintptr_t *)(pointer))[4] = wcm__kernel_entry

/* The kernel's struct user_desc (asm/ldt.h is not with every libc). */
struct wcm_segment {
	uint32_t number;
	uintptr_t base;
	uint32_t limit, flags;
};

/* The thread pointer's. */
static inline uint32_t wcm__arch_thread_segment(void)
{
	uint32_t selector;

	__asm__("movl %%gs, %0" : "=r"(selector));
	return selector >> 3;
}

static inline struct wcm_segment wcm__arch_segment_of(uintptr_t pointer)
{
	/* seg_32bit, limit_in_pages, useable */
	enum { ALL = 0xfffff, FLAGS = 1 << 0 | 1 << 4 | 1 << 6 };

	return (struct wcm_segment){ wcm__arch_thread_segment(), pointer, ALL, FLAGS };
}

long wcm__arch_clone_raw(long flags, void *top, const struct wcm_segment *segment);

/* clone(2) with these; the child, whose stack ends at TOP, calls the function that lies
 * there with the argument above, and ends with what it returns.  Weak: one for all files. */
__attribute__((naked, noinline, weak, visibility("hidden"))) long
wcm__arch_clone_raw(__attribute__((unused)) long flags, __attribute__((unused)) void *top,
		    __attribute__((unused)) const struct wcm_segment *segment)
{
	__asm__("pushl %ebx\n\t"
		".cfi_adjust_cfa_offset 4\n\t"
		".cfi_rel_offset %ebx, 0\n\t"
		"pushl %esi\n\t"
		".cfi_adjust_cfa_offset 4\n\t"
		".cfi_rel_offset %esi, 0\n\t"
		"movl 12(%esp), %ebx\n\t"
		"movl 16(%esp), %ecx\n\t"
		"movl 20(%esp), %esi\n\t"
		"xorl %edx, %edx\n\t"
		"movl $" WCM_ARCH_TEXT(SYS_clone) ", %eax\n\t"
		WCM_ARCH_SYSCALL
		/* 0 may be a seccomp filter's answer, where there is no child. */
		"cmpl %ecx, %esp\n\t"
		"jne 1f\n\t"
		"xorl %ebp, %ebp\n\t"
		"popl %eax\n\t"
		"calll *%eax\n\t"
		"movl %eax, %ebx\n\t"
		"movl $" WCM_ARCH_TEXT(SYS_exit_group) ", %eax\n\t"
		"int $0x80\n\t"
		"hlt\n"
		"1:\tpopl %esi\n\t"
		".cfi_adjust_cfa_offset -4\n\t"
		".cfi_restore %esi\n\t"
		"popl %ebx\n\t"
		".cfi_adjust_cfa_offset -4\n\t"
		".cfi_restore %ebx\n\t"
		"ret");
}

/* The words that it finds at its stack's end: with the function taken off, the argument is
 * where a call has it, and aligned as the psABI wants it. */
static inline void *wcm__arch_clone_stack(void *top, uintptr_t function, void *argument)
{
	uintptr_t *words = (uintptr_t *)top - 5;

	words[0] = function;
	words[1] = (uintptr_t)argument;
	return words;
}

/* The first word at a thread pointer is itself. */
static inline long wcm__arch_spawn(long flags, void *top, void *tls,
				   void (*function)(void))
{
	const struct wcm_segment segment = wcm__arch_segment_of((uintptr_t)tls);

	*(void **)tls = tls;
	return wcm__arch_clone_raw(flags, wcm__arch_clone_stack(top, (uintptr_t)function, 0),
				   &segment);
}

static inline long wcm__arch_clone(long flags, void *top,
				   long (*function)(void *argument),
				   void *argument)
{
	return wcm__arch_clone_raw(
		flags, wcm__arch_clone_stack(top, (uintptr_t)function, argument), 0);
}

/* EFLAGS.AC has each access that is not aligned fail, and the kernel leaves it to handlers. */
#define WCM_ARCH_ALLOW_MISALIGNED() \
	__builtin_ia32_writeeflags_u32(__builtin_ia32_readeflags_u32() & ~0x40000u)

#endif
