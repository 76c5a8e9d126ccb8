/* SPDX-License-Identifier: MIT */
/* assembly_aarch64.S - frames that only call frame information describes, as assembly.S
 * makes them.  Each function calls its first argument from a frame of its own kind. */
	.text

	.macro function name
	.globl \name
	.type \name, %function
	.p2align 4
\name:
	.endm

	.macro finish name
	.size \name, . - \name
	.endm

function asm_call
	.cfi_startproc
	str	x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 30, -32
	blr	x0
	ldr	x30, [sp], #32
	.cfi_def_cfa_offset 0
	.cfi_restore 30
	ret
	.cfi_endproc
finish asm_call

/* The CFA counts from x19, which the callee saves. */
function asm_cfa_rbx
	.cfi_startproc
	stp	x19, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 19, -16
	.cfi_offset 30, -8
	mov	x19, sp
	.cfi_def_cfa_register 19
	sub	sp, sp, #80
	blr	x0
	mov	sp, x19
	.cfi_def_cfa_register 31
	ldp	x19, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 19
	.cfi_restore 30
	ret
	.cfi_endproc
finish asm_cfa_rbx

/* The CFA is what lies at sp + 32, plus 16; x29 is where an expression says. */
function asm_expression
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	mov	x9, sp
	sub	sp, sp, #64
	.cfi_adjust_cfa_offset 64
	str	x9, [sp, #32]
	str	x29, [sp, #40]
	/* def_cfa_expression: breg31+32, deref, plus_uconst 16 */
	.cfi_escape 0x0f, 0x05, 0x8f, 0x20, 0x06, 0x23, 0x10
	/* expression x29: breg31+40 */
	.cfi_escape 0x10, 0x1d, 0x02, 0x8f, 0x28
	mov	x29, #0
	blr	x0
	ldr	x29, [sp, #40]
	add	sp, sp, #64
	.cfi_def_cfa 31, 16
	.cfi_restore 29
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 30
	ret
	.cfi_endproc
finish asm_expression

function asm_states
	.cfi_startproc
	.cfi_remember_state
	stp	x21, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset 21, 0
	.cfi_rel_offset 30, 8
	.cfi_remember_state
	stp	x29, x22, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset 29, 0
	.cfi_rel_offset 22, 8
	cbnz	x0, 1f
	ldp	x29, x22, [sp], #16
	.cfi_restore_state
	ldp	x21, x30, [sp], #16
	.cfi_restore_state
	ret
1:
	.cfi_def_cfa_offset 32
	.cfi_offset 21, -16
	.cfi_offset 30, -8
	.cfi_offset 29, -32
	.cfi_offset 22, -24
	/* GNU_args_size */
	.cfi_escape 0x2e, 0x10
	sub	sp, sp, #16
	.cfi_adjust_cfa_offset 16
	blr	x0
	add	sp, sp, #16
	.cfi_adjust_cfa_offset -16
	ldp	x29, x22, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore 29
	.cfi_restore 22
	ldp	x21, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore 21
	.cfi_restore 30
	ret
	.cfi_endproc
finish asm_states

/* x29 is kept in x21, and x21 on the stack. */
function asm_saved_elsewhere
	.cfi_startproc
	stp	x21, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 21, -16
	.cfi_offset 30, -8
	mov	x21, x29
	.cfi_register 29, 21
	mov	x29, #7
	sub	sp, sp, #32
	.cfi_adjust_cfa_offset 32
	blr	x0
	add	sp, sp, #32
	.cfi_adjust_cfa_offset -32
	mov	x29, x21
	.cfi_restore 29
	ldp	x21, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 21
	.cfi_restore 30
	ret
	.cfi_endproc
finish asm_saved_elsewhere

/* The caller's sp by val_expression: breg31+48; the CFA is 16 too high. */
function asm_val_offset
	.cfi_startproc
	sub	sp, sp, #48
	str	x30, [sp, #40]
	.cfi_def_cfa 31, 64
	.cfi_escape 0x16, 0x1f, 0x02, 0x8f, 0x30
	.cfi_offset 30, -24
	blr	x0
	ldr	x30, [sp, #40]
	add	sp, sp, #48
	.cfi_def_cfa 31, 0
	.cfi_restore 31
	.cfi_restore 30
	ret
	.cfi_endproc
finish asm_val_offset

/* The return address is kept in x21 alone. */
function asm_register_chain
	.cfi_startproc
	str	x21, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 21, -16
	mov	x21, x30
	.cfi_register 30, 21
	sub	sp, sp, #16
	.cfi_adjust_cfa_offset 16
	blr	x0
	add	sp, sp, #16
	.cfi_adjust_cfa_offset -16
	mov	x30, x21
	.cfi_restore 30
	ldr	x21, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 21
	ret
	.cfi_endproc
finish asm_register_chain

/* Calls on the stack that ends at x1. */
function asm_other_stack
	.cfi_startproc
	stp	x19, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 19, -16
	.cfi_offset 30, -8
	mov	x19, sp
	.cfi_def_cfa_register 19
	mov	sp, x1
	blr	x0
	mov	sp, x19
	.cfi_def_cfa_register 31
	ldp	x19, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 19
	.cfi_restore 30
	ret
	.cfi_endproc
finish asm_other_stack

function asm_no_cfi
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	blr	x0
	ldp	x29, x30, [sp], #48
	ret
finish asm_no_cfi

	.section .note.GNU-stack, "", %progbits
