/* SPDX-License-Identifier: MIT */
/* odd.S - symbols as hand-written assembly has them. */
	.section .text.odd, "ax", @progbits
	.globl odd_sized
	.type odd_sized, @function
odd_sized:
	.skip 16, 0x90
	.size odd_sized, . - odd_sized
	.skip 32, 0xcc			/* a gap: nobody's */
	.type odd_unsized, @function
odd_unsized:				/* typed, no size: up to the next */
	.skip 16, 0x90
odd_bare:				/* neither: up to the next */
	.skip 16, 0x90
	.globl alias_global, alias_weak
	.weak alias_weak
	.type alias_global, @function
	.type alias_weak, @function
	.type alias_local, @function
alias_local:
alias_weak:
alias_global:
	.skip 16, 0x90
	.size alias_local, 16
	.size alias_weak, 16
	.size alias_global, 16
	.globl __under_b, _under_c, under_d, under_e
	.type __under_b, @function
	.type _under_c, @function
	.type under_d, @function
	.type under_e, @function
__under_b:
_under_c:
under_e:
under_d:
	.skip 16, 0x90
	.size __under_b, 16
	.size _under_c, 16
	.size under_d, 16
	.size under_e, 16
	.globl size_no, size_yes
	.type size_no, @function
	.type size_yes, @function
size_no:
size_yes:
	.skip 16, 0x90
	.size size_yes, 16
	/* One within the other: what is nearest counts. */
	.globl nest_outer, nest_inner
	.type nest_outer, @function
	.type nest_inner, @function
nest_outer:
	.skip 8, 0x90
nest_inner:
	.skip 8, 0x90
	.size nest_inner, . - nest_inner
	.skip 8, 0x90
	.size nest_outer, . - nest_outer
	.type odd_before_data, @function
odd_before_data:			/* no size: up to the data */
	.skip 16, 0x90
	.type odd_data_in_code, @object
odd_data_in_code:
	.skip 61440, 1
	.size odd_data_in_code, . - odd_data_in_code
	.type odd_before_bare_data, @function
odd_before_bare_data:
	.skip 16, 0x90
	.type odd_bare_data, @object
odd_bare_data:				/* the same, of no size either */
	.skip 16, 1
	.type odd_last, @function
odd_last:				/* up to the end of the section */
	.skip 8, 0x90

	.section .second, "ax", @progbits
	.globl second_start
second_start = .			/* named below, at its own place */
	.skip 8, 0x90
second_named:
	.skip 8, 0x90

	.section .third, "ax", @progbits
	.skip 16, 0x90			/* no symbol before it in its section */
third_named:
	.skip 8, 0x90
	.data
	.globl odd_data
odd_data:
	.quad 0
	.section .note.GNU-stack, "", @progbits
