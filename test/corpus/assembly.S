/* SPDX-License-Identifier: MIT */
/* assembly.S - frames that only call frame information describes.  Each function
 * calls its first argument from a frame of its own kind. */
	.text

	.macro function name
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.endm

	.macro finish name
	.size \name, . - \name
	.endm

function asm_call
	.cfi_startproc
	subq	$24, %rsp
	.cfi_adjust_cfa_offset 24
	call	*%rdi
	addq	$24, %rsp
	.cfi_adjust_cfa_offset -24
	ret
	.cfi_endproc
finish asm_call

/* The CFA counts from rbx, which the callee saves. */
function asm_cfa_rbx
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	movq	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	subq	$80, %rsp
	call	*%rdi
	movq	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
finish asm_cfa_rbx

/* The CFA is what lies at rsp + 32, plus 16; rbp is where an expression says. */
function asm_expression
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rax
	subq	$64, %rsp
	.cfi_adjust_cfa_offset 64
	movq	%rax, 32(%rsp)
	movq	%rbp, 40(%rsp)
	/* def_cfa_expression: breg7+32, deref, plus_uconst 16 */
	.cfi_escape 0x0f, 0x05, 0x77, 0x20, 0x06, 0x23, 0x10
	/* expression rbp: breg7+40 */
	.cfi_escape 0x10, 0x06, 0x02, 0x77, 0x28
	movq	$0x1234, -16(%rax)
	xorl	%ebp, %ebp
	call	*%rdi
	movq	40(%rsp), %rbp
	addq	$72, %rsp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_endproc
finish asm_expression

function asm_states
	.cfi_startproc
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	.cfi_remember_state
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	.cfi_remember_state
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	testq	%rdi, %rdi
	jnz	1f
	popq	%rbp
	.cfi_restore_state
	popq	%r13
	.cfi_restore_state
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	ret
1:
	.cfi_def_cfa_offset 32
	.cfi_offset %r12, -16
	.cfi_offset %r13, -24
	.cfi_offset %rbp, -32
	/* GNU_args_size */
	.cfi_escape 0x2e, 0x10
	subq	$16, %rsp
	.cfi_adjust_cfa_offset 16
	call	*%rdi
	addq	$16, %rsp
	.cfi_adjust_cfa_offset -16
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	popq	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	ret
	.cfi_endproc
finish asm_states

/* rbp is kept in r12, and r12 on the stack. */
function asm_saved_elsewhere
	.cfi_startproc
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	movq	%rbp, %r12
	.cfi_register %rbp, %r12
	movl	$7, %ebp
	subq	$32, %rsp
	.cfi_adjust_cfa_offset 32
	call	*%rdi
	addq	$32, %rsp
	.cfi_adjust_cfa_offset -32
	movq	%r12, %rbp
	.cfi_restore %rbp
	popq	%r12
	.cfi_def_cfa_offset 8
	.cfi_restore %r12
	ret
	.cfi_endproc
finish asm_saved_elsewhere

/* The caller's rsp by val_expression: breg7+48; the CFA is 8 too high. */
function asm_val_offset
	.cfi_startproc
	subq	$40, %rsp
	.cfi_def_cfa %rsp, 56
	.cfi_escape 0x16, 0x07, 0x02, 0x77, 0x30
	.cfi_offset %rip, -16
	call	*%rdi
	addq	$40, %rsp
	.cfi_def_cfa %rsp, 8
	.cfi_escape 0x16, 0x07, 0x02, 0x77, 0x08
	.cfi_offset %rip, -8
	ret
	.cfi_endproc
finish asm_val_offset

/* The return address is moved to r13 and from there called back through. */
function asm_register_chain
	.cfi_startproc
	movq	%r13, %rdx
	.cfi_register %r13, %rdx
	popq	%r13
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r13
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	.cfi_offset %r13, -8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	*%rdi
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	movq	(%rsp), %rdx
	.cfi_register %r13, %rdx
	movq	%r13, (%rsp)
	.cfi_offset %rip, -8
	movq	%rdx, %r13
	.cfi_restore %r13
	.cfi_adjust_cfa_offset 0
	ret
	.cfi_endproc
finish asm_register_chain

/* Calls on the stack that ends at rsi. */
function asm_other_stack
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	movq	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	movq	%rsi, %rsp
	call	*%rdi
	movq	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
finish asm_other_stack

function asm_no_cfi
	pushq	%rbp
	movq	%rsp, %rbp
	subq	$48, %rsp
	call	*%rdi
	leave
	ret
finish asm_no_cfi

	.section .note.GNU-stack, "", @progbits
