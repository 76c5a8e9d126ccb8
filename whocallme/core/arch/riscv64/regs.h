/* SPDX-License-Identifier: MIT */
/* riscv64/regs.h (SAFE) - the frame of the RISC-V ELF psABI (lp64d), as rules. */
#ifndef WCM_ARCH_REGS_H
#define WCM_ARCH_REGS_H

#include "core/arch/generic/library_stub.h"
#include "core/arch/generic/no_sleds.h"
#include "syscall.h"

enum { WCM_PASSED_IS_KNOWN = 0 };

static inline uintptr_t wcm__arch_strip(uintptr_t ra)
{
	return ra;
}

/* addi sp,sp,-n; sd ra,n-8(sp); sd s0,n-16(sp); addi s0,sp,n ("Frame Pointer Convention").
 * Of a function with variable arguments s0 is less than the CFA. */
static const struct wcm_rule wcm__arch_frame_rule = {
	.base = WCM_BASE_FP, .cfa_off = 0,
	.ra_saved = true, .ra_off = -8,
	.fp_saved = true, .fp_off = -16,
};

/* The return address is in ra. */
static const struct wcm_rule wcm__arch_call_rule = { .base = WCM_BASE_SP };

/* What a callee preserves, ra, and where we are.  Inlined, so that the state is that of the
 * caller's frame, at the instruction that reads the pc. */
__attribute__((always_inline)) static inline void
wcm__arch_registers_here(struct wcm_registers *registers)
{
	uintptr_t *value = registers->value;

	__asm__ volatile("auipc t0, 0\n\t"
			 "sd t0, %[pc]\n\t"
			 "sd zero, 0*8(%[value])\n\t"
			 "sd ra, 1*8(%[value])\n\t"
			 "sd sp, 2*8(%[value])\n\t"
			 "sd gp, 3*8(%[value])\n\t"
			 "sd tp, 4*8(%[value])\n\t"
			 "sd s0, 8*8(%[value])\n\t"
			 "sd s1, 9*8(%[value])\n\t"
			 "sd s2, 18*8(%[value])\n\t"
			 "sd s3, 19*8(%[value])\n\t"
			 "sd s4, 20*8(%[value])\n\t"
			 "sd s5, 21*8(%[value])\n\t"
			 "sd s6, 22*8(%[value])\n\t"
			 "sd s7, 23*8(%[value])\n\t"
			 "sd s8, 24*8(%[value])\n\t"
			 "sd s9, 25*8(%[value])\n\t"
			 "sd s10, 26*8(%[value])\n\t"
			 "sd s11, 27*8(%[value])"
			 : [pc] "=m"(registers->pc),
			   "=m"(*(uintptr_t(*)[WCM_COLUMNS])value)
			 : [value] "r"(value)
			 : "t0");
	registers->known = WCM_COLUMNS_PRESERVED | 1 << WCM_COLUMN_RA;
}

/* Where the function that this one returns to stands: a macro, for the frame is that
 * of the function it is written in, which keeps a frame pointer. */
#define WCM_ARCH_CALLER()                                                     \
	((struct wcm_regs){                                                   \
		.pc = (uintptr_t)__builtin_return_address(0),                 \
		.sp = (uintptr_t)__builtin_frame_address(0),                  \
		.fp = ((const uintptr_t *)__builtin_frame_address(0))[-2],    \
	})

/* The base counter, which is readable where Linux runs (Zicntr), at a constant rate. */
static inline uint64_t wcm__arch_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks));
	return ticks;
}

static inline bool wcm__arch_ticks_are_steady(void)
{
	return true;
}

/* Add one to *INDEX and return what it was.  One instruction: no signal handler of the same
 * thread comes in between. */
static inline uint32_t wcm__arch_take_index(uint32_t *index)
{
	return __atomic_fetch_add(index, 1, __ATOMIC_RELAXED);
}

/* s1, which the callee preserves, keeps the stack pointer meanwhile. */
static inline bool wcm__arch_call_on(void *top, void (*function)(void *argument),
				     void *argument)
{
	register void *a0 __asm__("a0") = argument;
	register void *a1 __asm__("a1") = top;
	register void (*a2)(void *) __asm__("a2") = function;

	__asm__ volatile("mv s1, sp\n\t"
			 "mv sp, a1\n\t"
			 "jalr a2\n\t"
			 "mv sp, s1"
			 : "+r"(a0), "+r"(a1), "+r"(a2)
			 :
			 : "s1", "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6",
			   "a3", "a4", "a5", "a6", "a7", "memory");
	return true;
}

static inline uintptr_t wcm__arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mv %0, tp" : "=r"(pointer));
	return pointer;
}

/* clone(2) has its arguments in the same registers behind it, in both threads, which the stack
 * pointer tells apart: 0 may be a seccomp filter's answer, where there is no child. */
static inline long wcm__arch_spawn(long flags, void *top, void *tls,
				   void (*function)(void))
{
	register long a7 __asm__("a7") = SYS_clone;
	register long a0 __asm__("a0") = flags;
	register void *a1 __asm__("a1") = top;
	register long a2 __asm__("a2") = 0;
	register void *a3 __asm__("a3") = tls;
	register long a4 __asm__("a4") = 0;

	__asm__ volatile(WCM_ARCH_SYSCALL
			 "bne sp, a1, 1f\n\t"
			 "mv s0, zero\n\t"
			 "jalr %[function]\n\t"
			 "unimp\n"
			 "1:"
			 : "+r"(a0)
			 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7), [function] "r"(function)
			 : "ra", "memory");
	return a0;
}

/* The new process has our registers, but for a0 and the stack pointer; its first frame is
 * marked by a zero frame pointer. */
static inline long wcm__arch_clone(long flags, void *top,
				   long (*function)(void *argument),
				   void *argument)
{
	register long a7 __asm__("a7") = SYS_clone;
	register long a0 __asm__("a0") = flags;
	register void *a1 __asm__("a1") = top;
	register long a2 __asm__("a2") = 0;
	register long a3 __asm__("a3") = 0;
	register long a4 __asm__("a4") = 0;

	__asm__ volatile(WCM_ARCH_SYSCALL
			 "bne sp, a1, 1f\n\t"
			 "mv s0, zero\n\t"
			 "mv a0, %[argument]\n\t"
			 "jalr %[function]\n\t"
			 "li a7, %[exit]\n\t"
			 "ecall\n\t"
			 "unimp\n"
			 "1:"
			 : "+r"(a0)
			 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7),
			   [function] "r"(function), [argument] "r"(argument),
			   [exit] "i"(SYS_exit_group)
			 : "ra", "memory");
	return a0;
}

#endif
