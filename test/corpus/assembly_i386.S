/* SPDX-License-Identifier: MIT */
/* assembly_i386.S - the frames of assembly.S, on i386.  Arguments are on the stack. */
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
	subl	$28, %esp
	.cfi_adjust_cfa_offset 28
	call	*32(%esp)
	addl	$28, %esp
	.cfi_adjust_cfa_offset -28
	ret
	.cfi_endproc
finish asm_call

/* The CFA counts from ebx, which the callee saves. */
function asm_cfa_rbx
	.cfi_startproc
	pushl	%ebx
	.cfi_def_cfa_offset 8
	.cfi_offset %ebx, -8
	movl	%esp, %ebx
	.cfi_def_cfa_register %ebx
	subl	$80, %esp
	call	*8(%ebx)
	movl	%ebx, %esp
	.cfi_def_cfa_register %esp
	popl	%ebx
	.cfi_def_cfa_offset 4
	ret
	.cfi_endproc
finish asm_cfa_rbx

/* The CFA is what lies at esp + 32, plus 8; ebp is where an expression says. */
function asm_expression
	.cfi_startproc
	pushl	%ebp
	.cfi_def_cfa_offset 8
	.cfi_offset %ebp, -8
	movl	%esp, %eax
	subl	$64, %esp
	.cfi_adjust_cfa_offset 64
	movl	%eax, 32(%esp)
	movl	%ebp, 40(%esp)
	/* def_cfa_expression: breg4+32, deref, plus_uconst 8 */
	.cfi_escape 0x0f, 0x05, 0x74, 0x20, 0x06, 0x23, 0x08
	/* expression ebp: breg4+40 */
	.cfi_escape 0x10, 0x05, 0x02, 0x74, 0x28
	movl	$0x1234, -16(%eax)
	xorl	%ebp, %ebp
	call	*8(%eax)
	movl	40(%esp), %ebp
	addl	$68, %esp
	.cfi_def_cfa %esp, 4
	.cfi_restore %ebp
	ret
	.cfi_endproc
finish asm_expression

function asm_states
	.cfi_startproc
	pushl	%esi
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %esi, 0
	.cfi_remember_state
	pushl	%edi
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %edi, 0
	.cfi_remember_state
	pushl	%ebp
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %ebp, 0
	cmpl	$0, 16(%esp)
	jnz	1f
	popl	%ebp
	.cfi_restore_state
	popl	%edi
	.cfi_restore_state
	popl	%esi
	.cfi_adjust_cfa_offset -4
	.cfi_restore %esi
	ret
1:
	.cfi_def_cfa_offset 16
	.cfi_offset %esi, -8
	.cfi_offset %edi, -12
	.cfi_offset %ebp, -16
	/* GNU_args_size */
	.cfi_escape 0x2e, 0x10
	subl	$16, %esp
	.cfi_adjust_cfa_offset 16
	call	*32(%esp)
	addl	$16, %esp
	.cfi_adjust_cfa_offset -16
	popl	%ebp
	.cfi_adjust_cfa_offset -4
	.cfi_restore %ebp
	popl	%edi
	.cfi_adjust_cfa_offset -4
	.cfi_restore %edi
	popl	%esi
	.cfi_adjust_cfa_offset -4
	.cfi_restore %esi
	ret
	.cfi_endproc
finish asm_states

/* ebp is kept in esi, and esi on the stack. */
function asm_saved_elsewhere
	.cfi_startproc
	pushl	%esi
	.cfi_def_cfa_offset 8
	.cfi_offset %esi, -8
	movl	%ebp, %esi
	.cfi_register %ebp, %esi
	movl	$7, %ebp
	subl	$32, %esp
	.cfi_adjust_cfa_offset 32
	call	*40(%esp)
	addl	$32, %esp
	.cfi_adjust_cfa_offset -32
	movl	%esi, %ebp
	.cfi_restore %ebp
	popl	%esi
	.cfi_def_cfa_offset 4
	.cfi_restore %esi
	ret
	.cfi_endproc
finish asm_saved_elsewhere

/* The caller's esp by val_expression: breg4+44; the CFA is 4 too high. */
function asm_val_offset
	.cfi_startproc
	subl	$40, %esp
	.cfi_def_cfa %esp, 48
	.cfi_escape 0x16, 0x04, 0x02, 0x74, 0x2c
	.cfi_offset %eip, -8
	call	*44(%esp)
	addl	$40, %esp
	.cfi_def_cfa %esp, 4
	.cfi_escape 0x16, 0x04, 0x02, 0x74, 0x04
	.cfi_offset %eip, -4
	ret
	.cfi_endproc
finish asm_val_offset

/* The return address is moved to esi and from there called back through. */
function asm_register_chain
	.cfi_startproc
	movl	%esi, %edx
	.cfi_register %esi, %edx
	popl	%esi
	.cfi_def_cfa_offset 0
	.cfi_register %eip, %esi
	pushl	%edx
	.cfi_adjust_cfa_offset 4
	.cfi_offset %esi, -4
	subl	$8, %esp
	.cfi_adjust_cfa_offset 8
	call	*12(%esp)
	addl	$8, %esp
	.cfi_adjust_cfa_offset -8
	movl	(%esp), %edx
	.cfi_register %esi, %edx
	movl	%esi, (%esp)
	.cfi_offset %eip, -4
	movl	%edx, %esi
	.cfi_restore %esi
	.cfi_adjust_cfa_offset 0
	ret
	.cfi_endproc
finish asm_register_chain

/* Calls on the stack that ends at the second argument. */
function asm_other_stack
	.cfi_startproc
	pushl	%ebx
	.cfi_def_cfa_offset 8
	.cfi_offset %ebx, -8
	movl	%esp, %ebx
	.cfi_def_cfa_register %ebx
	movl	12(%ebx), %esp
	call	*8(%ebx)
	movl	%ebx, %esp
	.cfi_def_cfa_register %esp
	popl	%ebx
	.cfi_def_cfa_offset 4
	ret
	.cfi_endproc
finish asm_other_stack

function asm_no_cfi
	pushl	%ebp
	movl	%esp, %ebp
	subl	$40, %esp
	call	*8(%ebp)
	leave
	ret
finish asm_no_cfi

	.section .note.GNU-stack, "", @progbits
