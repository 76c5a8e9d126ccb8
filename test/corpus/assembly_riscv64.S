/* SPDX-License-Identifier: MIT */
/* assembly_riscv64.S - frames that only call frame information describes, as assembly.S
 * makes them.  Each function calls its first argument from a frame of its own kind. */
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
	addi	sp, sp, -32
	.cfi_def_cfa_offset 32
	sd	ra, 0(sp)
	.cfi_offset ra, -32
	jalr	a0
	ld	ra, 0(sp)
	.cfi_restore ra
	addi	sp, sp, 32
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
finish asm_call

/* The CFA counts from s1, which the callee saves. */
function asm_cfa_rbx
	.cfi_startproc
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	s1, 0(sp)
	.cfi_offset s1, -16
	sd	ra, 8(sp)
	.cfi_offset ra, -8
	mv	s1, sp
	.cfi_def_cfa_register s1
	addi	sp, sp, -80
	jalr	a0
	mv	sp, s1
	.cfi_def_cfa_register sp
	ld	s1, 0(sp)
	.cfi_restore s1
	ld	ra, 8(sp)
	.cfi_restore ra
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
finish asm_cfa_rbx

/* The CFA is what lies at sp + 32, plus 16; s0 is where an expression says. */
function asm_expression
	.cfi_startproc
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	ra, 0(sp)
	.cfi_offset ra, -16
	mv	t0, sp
	addi	sp, sp, -64
	.cfi_adjust_cfa_offset 64
	sd	t0, 32(sp)
	sd	s0, 40(sp)
	/* def_cfa_expression: breg2+32, deref, plus_uconst 16 */
	.cfi_escape 0x0f, 0x05, 0x72, 0x20, 0x06, 0x23, 0x10
	/* expression s0: breg2+40 */
	.cfi_escape 0x10, 0x08, 0x02, 0x72, 0x28
	li	s0, 0
	jalr	a0
	ld	s0, 40(sp)
	addi	sp, sp, 64
	.cfi_def_cfa sp, 16
	.cfi_restore s0
	ld	ra, 0(sp)
	.cfi_restore ra
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
finish asm_expression

function asm_states
	.cfi_startproc
	.cfi_remember_state
	addi	sp, sp, -16
	.cfi_adjust_cfa_offset 16
	sd	s3, 0(sp)
	.cfi_rel_offset s3, 0
	sd	ra, 8(sp)
	.cfi_rel_offset ra, 8
	.cfi_remember_state
	addi	sp, sp, -16
	.cfi_adjust_cfa_offset 16
	sd	s0, 0(sp)
	.cfi_rel_offset s0, 0
	bnez	a0, 1f
	ld	s0, 0(sp)
	addi	sp, sp, 16
	.cfi_restore_state
	ld	s3, 0(sp)
	ld	ra, 8(sp)
	addi	sp, sp, 16
	.cfi_restore_state
	ret
1:
	.cfi_def_cfa_offset 32
	.cfi_offset s3, -16
	.cfi_offset ra, -8
	.cfi_offset s0, -32
	/* GNU_args_size */
	.cfi_escape 0x2e, 0x10
	addi	sp, sp, -16
	.cfi_adjust_cfa_offset 16
	jalr	a0
	addi	sp, sp, 16
	.cfi_adjust_cfa_offset -16
	ld	s0, 0(sp)
	.cfi_restore s0
	addi	sp, sp, 16
	.cfi_adjust_cfa_offset -16
	ld	s3, 0(sp)
	.cfi_restore s3
	ld	ra, 8(sp)
	.cfi_restore ra
	addi	sp, sp, 16
	.cfi_adjust_cfa_offset -16
	ret
	.cfi_endproc
finish asm_states

/* s0 is kept in s3, and s3 on the stack. */
function asm_saved_elsewhere
	.cfi_startproc
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	s3, 0(sp)
	.cfi_offset s3, -16
	sd	ra, 8(sp)
	.cfi_offset ra, -8
	mv	s3, s0
	.cfi_register s0, s3
	li	s0, 7
	addi	sp, sp, -32
	.cfi_adjust_cfa_offset 32
	jalr	a0
	addi	sp, sp, 32
	.cfi_adjust_cfa_offset -32
	mv	s0, s3
	.cfi_restore s0
	ld	s3, 0(sp)
	.cfi_restore s3
	ld	ra, 8(sp)
	.cfi_restore ra
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
finish asm_saved_elsewhere

/* The caller's sp by val_expression: breg2+48; the CFA is 16 too high. */
function asm_val_offset
	.cfi_startproc
	addi	sp, sp, -48
	.cfi_def_cfa sp, 64
	.cfi_escape 0x16, 0x02, 0x02, 0x72, 0x30
	sd	ra, 40(sp)
	.cfi_offset ra, -24
	jalr	a0
	ld	ra, 40(sp)
	.cfi_restore ra
	addi	sp, sp, 48
	.cfi_def_cfa sp, 0
	.cfi_restore sp
	ret
	.cfi_endproc
finish asm_val_offset

/* The return address is kept in s3 alone. */
function asm_register_chain
	.cfi_startproc
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	s3, 0(sp)
	.cfi_offset s3, -16
	mv	s3, ra
	.cfi_register ra, s3
	addi	sp, sp, -16
	.cfi_adjust_cfa_offset 16
	jalr	a0
	addi	sp, sp, 16
	.cfi_adjust_cfa_offset -16
	mv	ra, s3
	.cfi_restore ra
	ld	s3, 0(sp)
	.cfi_restore s3
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
finish asm_register_chain

/* Calls on the stack that ends at a1. */
function asm_other_stack
	.cfi_startproc
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	s1, 0(sp)
	.cfi_offset s1, -16
	sd	ra, 8(sp)
	.cfi_offset ra, -8
	mv	s1, sp
	.cfi_def_cfa_register s1
	mv	sp, a1
	jalr	a0
	mv	sp, s1
	.cfi_def_cfa_register sp
	ld	s1, 0(sp)
	.cfi_restore s1
	ld	ra, 8(sp)
	.cfi_restore ra
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
finish asm_other_stack

function asm_no_cfi
	addi	sp, sp, -48
	sd	ra, 40(sp)
	sd	s0, 32(sp)
	addi	s0, sp, 48
	jalr	a0
	ld	ra, 40(sp)
	ld	s0, 32(sp)
	addi	sp, sp, 48
	ret
finish asm_no_cfi

	.section .note.GNU-stack, "", @progbits
