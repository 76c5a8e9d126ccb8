/* SPDX-License-Identifier: MIT */
/* aarch64/regs.h (SAFE) - the frame of the AAPCS64, as rules. */
#ifndef WCM_ARCH_REGS_H
#define WCM_ARCH_REGS_H

#include <signal.h>
#include <stddef.h>

#include "core/arch/aarch64/counter.h"
#include "core/arch/aarch64/sled_frame.h"
#include "core/arch/generic/library_stub.h"
#include "syscall.h"

enum { WCM_PASSED_IS_KNOWN = 0 };

/* xpaclri, which a CPU without pointer authentication takes for a NOP.  What is outside of
 * the addresses that a process has, its uppermost byte aside, stays so. */
static inline uintptr_t wcm__arch_strip(uintptr_t ra)
{
	register uintptr_t lr __asm__("x30") = ra;

	__asm__("hint #7" : "+r"(lr));
	return lr;
}

/* stp x29, x30, [sp, #-n]!; mov x29, sp.  How large the frame is above the pair, it does not
 * say: this is the least. */
static const struct wcm_rule wcm__arch_frame_rule = {
	.base = WCM_BASE_FP, .cfa_off = 16,
	.ra_saved = true, .ra_off = -8,
	.fp_saved = true, .fp_off = -16,
};

/* bl has just left the return address in x30. */
static const struct wcm_rule wcm__arch_call_rule = { .base = WCM_BASE_SP };

/* What a callee preserves, the link register, and where we are.  Inlined, so that the state is
 * that of the caller's frame, at the instruction that reads the pc. */
__attribute__((always_inline)) static inline void
wcm__arch_registers_here(struct wcm_registers *registers)
{
	uintptr_t *value = registers->value;
	uintptr_t pc, sp;

	__asm__ volatile("adr %[pc], .\n\t"
			 "mov %[sp], sp\n\t"
			 "stp x19, x20, [%[value], #19 * 8]\n\t"
			 "stp x21, x22, [%[value], #21 * 8]\n\t"
			 "stp x23, x24, [%[value], #23 * 8]\n\t"
			 "stp x25, x26, [%[value], #25 * 8]\n\t"
			 "stp x27, x28, [%[value], #27 * 8]\n\t"
			 "stp x29, x30, [%[value], #29 * 8]\n\t"
			 "str %[sp], [%[value], #31 * 8]"
			 : [pc] "=&r"(pc), [sp] "=&r"(sp)
			 : [value] "r"(value)
			 : "memory");
	registers->pc = pc;
	registers->known = WCM_COLUMNS_PRESERVED | UINT32_C(1) << WCM_COLUMN_RA;
}

/* Where a frame ends, which what it keeps for the frame pointer does not tell: compilers put
 * the pair at either end. */
#if __has_builtin(__builtin_sponentry)
#define WCM_ARCH_FRAME_END() __builtin_sponentry()
#else
#define WCM_ARCH_FRAME_END() __builtin_dwarf_cfa()
#endif

/* The kernel leaves x1 and x2 as they were where an action lacks SA_SIGINFO. */
#define WCM_ARCH_HANDED(info, ucontext)                                       \
	wcm__arch_handed(WCM_ARCH_FRAME_END(), __builtin_return_address(0), info, ucontext)
struct wcm_handed {
	siginfo_t *info;
	void *ucontext;
};
struct wcm_handed wcm__arch_handed(void *cfa, const void *ra, siginfo_t *info, void *ucontext);

static inline void wcm__arch_handed_back(const struct wcm_handed *handed)
{
	(void)handed;
}

/* Where the function that this one returns to stands: a macro, for the frame is that
 * of the function it is written in, which keeps a frame pointer. */
#define WCM_ARCH_CALLER()                                                     \
	((struct wcm_regs){                                                   \
		.pc = wcm__arch_strip((uintptr_t)__builtin_return_address(0)), \
		.sp = (uintptr_t)WCM_ARCH_FRAME_END(),                        \
		.fp = *(const uintptr_t *)__builtin_frame_address(0),         \
	})

/* x19, which the callee preserves, keeps the stack pointer meanwhile. */
static inline bool wcm__arch_call_on(void *top, void (*function)(void *argument),
				     void *argument)
{
	register void *x0 __asm__("x0") = argument;
	register void (*x1)(void *) __asm__("x1") = function;

	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, %[top]\n\t"
			 "blr x1\n\t"
			 "mov sp, x19"
			 : "+r"(x0), "+r"(x1)
			 : [top] "r"(top)
			 : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
			   "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "cc",
			   "memory");
	return true;
}

static inline uintptr_t wcm__arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
	return pointer;
}

/* The kernel leaves all registers but x0 as they were, in both threads (clone(2)), which the
 * stack pointer tells apart: 0 may be a seccomp filter's answer, where there is no child.  The
 * first frame is marked by a zero frame pointer, and returns nowhere. */
static inline long wcm__arch_spawn(long flags, void *top, void *tls,
				   void (*function)(void))
{
	register long x0 __asm__("x0") = flags;
	register void *x1 __asm__("x1") = top;
	register void *x3 __asm__("x3") = tls;
	register long x8 __asm__("x8") = SYS_clone;

	__asm__ volatile(WCM_ARCH_SYSCALL
			 "mov x9, sp\n\t"
			 "cmp x9, x1\n\t"
			 "b.ne 1f\n\t"
			 "mov x29, #0\n\t"
			 "blr %[function]\n\t"
			 "brk #0\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(x1), "r"(x3), "r"(x8), [function] "r"(function)
			 : "x9", "x30", "cc", "memory");
	return x0;
}

static inline long wcm__arch_clone(long flags, void *top,
				   long (*function)(void *argument),
				   void *argument)
{
	register long x0 __asm__("x0") = flags;
	register void *x1 __asm__("x1") = top;
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;
	register long x8 __asm__("x8") = SYS_clone;

	__asm__ volatile(WCM_ARCH_SYSCALL
			 "mov x9, sp\n\t"
			 "cmp x9, x1\n\t"
			 "b.ne 1f\n\t"
			 "mov x29, #0\n\t"
			 "mov x0, %[argument]\n\t"
			 "blr %[function]\n\t"
			 "mov x8, %[exit]\n\t"
			 "svc #0\n\t"
			 "brk #0\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x8),
			   [function] "r"(function), [argument] "r"(argument),
			   [exit] "i"(SYS_exit_group)
			 : "x9", "x30", "cc", "memory");
	return x0;
}

#endif
