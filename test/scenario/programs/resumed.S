/* SPDX-License-Identifier: MIT */
/* resumed.S - code without descriptions that returns to where no call is in front: x86-64. */
	.text
	.globl enter
	.type enter, @function
enter:	push %rbp
	mov %rsp, %rbp
	call runtime
	pop %rbp
	ret
	.size enter, . - enter

	.type runtime, @function
runtime:
	push %rbp
	mov %rsp, %rbp
	mov resumed_at(%rip), %rax
	mov %rax, 8(%rbp)
	mov resumed_next(%rip), %rax
	test %rax, %rax
	jz 1f
	mov (%rbp), %rdx
	mov %rax, 8(%rdx)
1:	call crash
	pop %rbp
	ret
	.size runtime, . - runtime

	.section .far, "ax", @progbits
	.skip 32, 0xcc
	.globl continuation
	.type continuation, @function
continuation:
	pop %rbp
	ret
	.size continuation, . - continuation
	.skip 32, 0x90
	.globl continuation_next
	.type continuation_next, @function
continuation_next:
	pop %rbp
	ret
	.size continuation_next, . - continuation_next
	.section .note.GNU-stack, "", @progbits
