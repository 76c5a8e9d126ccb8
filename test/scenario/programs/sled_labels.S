/* SPDX-License-Identifier: MIT */
/* sled_labels.S - NOPs of hand-written code directly in front of what may be entered. */
	.text
	.globl	ends, stub, next, untyped
	.type	ends, @function
ends:
	movl	$7, %eax
	ret
	.size	ends, . - ends

	/* Falls through into a function with a sled. */
	.type	stub, @function
stub:
	nop
	nop
	nop
	nop
	.type	next, @function
next:
	nop
	nop
	nop
	nop
	nop
	leal	1(%rdi), %eax
	ret
	.size	next, . - next

	/* The same to a label without a type. */
	.type	typed, @function
typed:
	nop
	nop
untyped:
	nop
	nop
	nop
	nop
	nop
	leal	2(%rdi), %eax
	ret

	/* A label where another file's function begins, as Go has runtime.etext. */
	.globl	end_of_code
	.type	end_of_code, @function
end_of_code:
	.section .note.GNU-stack, "", @progbits
