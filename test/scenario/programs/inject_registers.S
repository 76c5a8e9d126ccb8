/* SPDX-License-Identifier: MIT */
/* inject_registers.S - calls the runtime with every register full.
 *
 * void fill_and_call(const struct registers *given, struct registers *left): 15 general
 * registers in the order of the instruction set's numbers less the stack pointer, the flags, 16
 * vectors, MXCSR and the state of the x87 unit.  Those that carry the arguments are what GIVEN
 * has.  The stack is not aligned at the call.
 */
	.text
	.globl fill_and_call
	.type fill_and_call, @function
fill_and_call:
	pushq %rbx
	pushq %rbp
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	pushq %rsi
	subq $520, %rsp
	fxsave64 saved(%rip)
	fxrstor64 128(%rdi)
	subq $3, %rsp
	pushq 120(%rdi)
	popfq
	movq 0(%rdi), %rax
	movq 8(%rdi), %rcx
	movq 16(%rdi), %rdx
	movq 24(%rdi), %rbx
	movq 32(%rdi), %rbp
	movq 40(%rdi), %rsi
	movq 56(%rdi), %r8
	movq 64(%rdi), %r9
	movq 72(%rdi), %r10
	movq 80(%rdi), %r11
	movq 88(%rdi), %r12
	movq 96(%rdi), %r13
	movq 104(%rdi), %r14
	movq 112(%rdi), %r15
	movq 48(%rdi), %rdi
	call __inject_trace_write
	movq %rdi, kept(%rip)
	movq 523(%rsp), %rdi
	pushfq
	popq 120(%rdi)
	cld
	movq %rax, 0(%rdi)
	movq %rcx, 8(%rdi)
	movq %rdx, 16(%rdi)
	movq %rbx, 24(%rdi)
	movq %rbp, 32(%rdi)
	movq %rsi, 40(%rdi)
	movq %r8, 56(%rdi)
	movq %r9, 64(%rdi)
	movq %r10, 72(%rdi)
	movq %r11, 80(%rdi)
	movq %r12, 88(%rdi)
	movq %r13, 96(%rdi)
	movq %r14, 104(%rdi)
	movq %r15, 112(%rdi)
	movq kept(%rip), %rax
	movq %rax, 48(%rdi)
	addq $3, %rsp
	fxsave64 128(%rdi)
	fxrstor64 saved(%rip)
	addq $520, %rsp
	popq %rsi
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
	ret
	.size fill_and_call, . - fill_and_call

	.local kept
	.comm kept, 8, 8
	.local saved
	.comm saved, 512, 16
	.section .note.GNU-stack, "", @progbits
