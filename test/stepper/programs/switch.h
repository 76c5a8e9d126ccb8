/* SPDX-License-Identifier: MIT */
/* switch.h - as libraries of coroutines switch: what the callee saves, and the stack. */
#ifndef TEST_STEPPER_SWITCH_H
#define TEST_STEPPER_SWITCH_H

#include <stdint.h>

void switch_stack(void **from, void *to);

/* What begins a stack that was made by hand. */
void switch_start(void);

#define SWITCH_BEGIN(name) \
	".text\n.globl " name "\n.type " name ", %function\n" name ":\n.cfi_startproc\n"
#define SWITCH_END(name) ".cfi_endproc\n.size " name ", . - " name "\n"

#if defined(__x86_64__)
#define SWITCH_PUSH(reg) \
	"pushq %" reg "\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %" reg ", 0\n"
#define SWITCH_POP(reg) "popq %" reg "\n.cfi_adjust_cfa_offset -8\n.cfi_restore %" reg "\n"
__asm__(SWITCH_BEGIN("switch_stack")
	SWITCH_PUSH("rbp") SWITCH_PUSH("rbx") SWITCH_PUSH("r12")
	SWITCH_PUSH("r13") SWITCH_PUSH("r14") SWITCH_PUSH("r15")
	"movq %rsp, (%rdi)\n"
	"movq %rsi, %rsp\n"
	SWITCH_POP("r15") SWITCH_POP("r14") SWITCH_POP("r13")
	SWITCH_POP("r12") SWITCH_POP("rbx") SWITCH_POP("rbp")
	"ret\n"
	SWITCH_END("switch_stack"));

/* The entry is returned to, and would return to 0. */
enum { SWITCH_WORDS = 8, SWITCH_ENTRY = 6 };
#elif defined(__i386__)
#define SWITCH_PUSH(reg) \
	"pushl %" reg "\n.cfi_adjust_cfa_offset 4\n.cfi_rel_offset %" reg ", 0\n"
#define SWITCH_POP(reg) "popl %" reg "\n.cfi_adjust_cfa_offset -4\n.cfi_restore %" reg "\n"
__asm__(SWITCH_BEGIN("switch_stack")
	SWITCH_PUSH("ebp") SWITCH_PUSH("ebx") SWITCH_PUSH("esi") SWITCH_PUSH("edi")
	"movl 20(%esp), %eax\n"
	"movl 24(%esp), %ecx\n"
	"movl %esp, (%eax)\n"
	"movl %ecx, %esp\n"
	SWITCH_POP("edi") SWITCH_POP("esi") SWITCH_POP("ebx") SWITCH_POP("ebp")
	"ret\n"
	SWITCH_END("switch_stack"));

/* As above. */
enum { SWITCH_WORDS = 6, SWITCH_ENTRY = 4 };
#elif defined(__aarch64__)
#define SWITCH_PAIR(operation, at, one, other) \
	operation " x" #one ", x" #other ", [sp, #" #at "]\n"
#define SWITCH_PAIRS(operation)                                               \
	SWITCH_PAIR(operation, 16, 19, 20) SWITCH_PAIR(operation, 32, 21, 22) \
	SWITCH_PAIR(operation, 48, 23, 24) SWITCH_PAIR(operation, 64, 25, 26) \
	SWITCH_PAIR(operation, 80, 27, 28)
__asm__(SWITCH_BEGIN("switch_stack")
	"stp x29, x30, [sp, #-96]!\n"
	".cfi_def_cfa_offset 96\n.cfi_offset 29, -96\n.cfi_offset 30, -88\n"
	SWITCH_PAIRS("stp")
	".cfi_offset 19, -80\n.cfi_offset 20, -72\n.cfi_offset 21, -64\n"
	".cfi_offset 22, -56\n.cfi_offset 23, -48\n.cfi_offset 24, -40\n"
	".cfi_offset 25, -32\n.cfi_offset 26, -24\n.cfi_offset 27, -16\n.cfi_offset 28, -8\n"
	"mov x9, sp\n"
	"str x9, [x0]\n"
	"mov sp, x1\n"
	SWITCH_PAIRS("ldp")
	"ldp x29, x30, [sp], #96\n"
	".cfi_def_cfa_offset 0\n.cfi_restore 29\n.cfi_restore 30\n"
	".cfi_restore 19\n.cfi_restore 20\n.cfi_restore 21\n.cfi_restore 22\n"
	".cfi_restore 23\n.cfi_restore 24\n.cfi_restore 25\n.cfi_restore 26\n"
	".cfi_restore 27\n.cfi_restore 28\n"
	"ret\n"
	SWITCH_END("switch_stack")
	SWITCH_BEGIN("switch_start")
	".cfi_undefined 30\n"
	"blr x19\n"
	"brk #0\n"
	SWITCH_END("switch_start"));

enum { SWITCH_WORDS = 12, SWITCH_ENTRY = 2, SWITCH_LINK = 1 };
#elif defined(__riscv)
#define SWITCH_WORD(operation, at, reg) operation " " #reg ", " #at "(sp)\n"
#define SWITCH_SAVED(operation)                                               \
	SWITCH_WORD(operation, 0, ra) SWITCH_WORD(operation, 8, s0)           \
	SWITCH_WORD(operation, 16, s1) SWITCH_WORD(operation, 24, s2)         \
	SWITCH_WORD(operation, 32, s3) SWITCH_WORD(operation, 40, s4)         \
	SWITCH_WORD(operation, 48, s5) SWITCH_WORD(operation, 56, s6)         \
	SWITCH_WORD(operation, 64, s7) SWITCH_WORD(operation, 72, s8)         \
	SWITCH_WORD(operation, 80, s9) SWITCH_WORD(operation, 88, s10)        \
	SWITCH_WORD(operation, 96, s11)
__asm__(SWITCH_BEGIN("switch_stack")
	"addi sp, sp, -112\n.cfi_def_cfa_offset 112\n"
	SWITCH_SAVED("sd")
	".cfi_offset ra, -112\n.cfi_offset s0, -104\n.cfi_offset s1, -96\n"
	".cfi_offset s2, -88\n.cfi_offset s3, -80\n.cfi_offset s4, -72\n"
	".cfi_offset s5, -64\n.cfi_offset s6, -56\n.cfi_offset s7, -48\n"
	".cfi_offset s8, -40\n.cfi_offset s9, -32\n.cfi_offset s10, -24\n.cfi_offset s11, -16\n"
	"sd sp, 0(a0)\n"
	"mv sp, a1\n"
	SWITCH_SAVED("ld")
	".cfi_restore ra\n.cfi_restore s0\n.cfi_restore s1\n.cfi_restore s2\n"
	".cfi_restore s3\n.cfi_restore s4\n.cfi_restore s5\n.cfi_restore s6\n"
	".cfi_restore s7\n.cfi_restore s8\n.cfi_restore s9\n.cfi_restore s10\n.cfi_restore s11\n"
	"addi sp, sp, 112\n.cfi_def_cfa_offset 0\n"
	"ret\n"
	SWITCH_END("switch_stack")
	SWITCH_BEGIN("switch_start")
	".cfi_undefined ra\n"
	"jalr s1\n"
	"ebreak\n"
	SWITCH_END("switch_start"));

enum { SWITCH_WORDS = 14, SWITCH_ENTRY = 2, SWITCH_LINK = 0 };
#endif

/* Below END, the stack that switch_stack() begins ENTRY on. */
static void *switch_make(char *end, void (*entry)(void))
{
	uintptr_t *word = (uintptr_t *)(void *)end - SWITCH_WORDS;

	word[SWITCH_ENTRY] = (uintptr_t)entry;
#if !defined(__x86_64__) && !defined(__i386__)
	word[SWITCH_LINK] = (uintptr_t)switch_start;
#endif
	return word;
}

#endif
