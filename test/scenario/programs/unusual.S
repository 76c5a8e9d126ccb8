/* SPDX-License-Identifier: MIT */
/* unusual.S - code that compilers do not make. */
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

/* A signal's trampoline whose bytes nobody knows, its caller's registers where
 * the kernel saved them: rsp + 40 on. */
	.macro saved column, low, high
	.cfi_escape 0x10, \column, 0x03, 0x77, \low, \high
	.endm
	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x0f, 0x04, 0x77, 0xa0, 0x01, 0x06
	saved 0, 0x90, 0x01
	saved 1, 0x88, 0x01
	saved 2, 0x98, 0x01
	saved 3, 0x80, 0x01
	saved 4, 0xf0, 0x00
	saved 5, 0xe8, 0x00
	saved 6, 0xf8, 0x00
	saved 7, 0xa0, 0x01
	saved 8, 0xa8, 0x00
	saved 9, 0xb0, 0x00
	saved 10, 0xb8, 0x00
	saved 11, 0xc0, 0x00
	saved 12, 0xc8, 0x00
	saved 13, 0xd0, 0x00
	saved 14, 0xd8, 0x00
	saved 15, 0xe0, 0x00
	saved 16, 0xa8, 0x01
	nop
function own_restorer
	movl	$15, %eax
	syscall
	.cfi_endproc
finish own_restorer

/* Leave this stack's sp at rdi, go on at that of rsi, which was left likewise. */
function fiber_switch
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r14, 0
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r15
	popq	%r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r14
	popq	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	ret
	.cfi_endproc
finish fiber_switch
/* Calls rdi with a zero in rbp, which is no frame pointer; no row says so. */
function zero_rbp
	pushq	%rbp
	xorl	%ebp, %ebp
	call	*%rdi
	popq	%rbp
	ret
finish zero_rbp

/* Makes its page one that is not executable, while it runs there. */
	.p2align 12
function loses_its_page
	.cfi_startproc
	subq	$72, %rsp
	.cfi_adjust_cfa_offset 72
	movl	$10, %eax	/* mprotect(page, 4096, PROT_READ) */
	leaq	loses_its_page(%rip), %rdi
	movl	$4096, %esi
	movl	$1, %edx
	syscall
	nop
	addq	$72, %rsp
	.cfi_adjust_cfa_offset -72
	ret
	.cfi_endproc
finish loses_its_page
	.p2align 12

	.section .note.GNU-stack, "", @progbits
