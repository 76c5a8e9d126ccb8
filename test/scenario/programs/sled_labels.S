/* SPDX-License-Identifier: MIT */
/* sled_labels.S - NOPs of hand-written code directly in front of what may be entered. */
#ifdef __i386__
#define ADD(number) movl 4(%esp), %eax; addl $number, %eax
#else
#define ADD(number) leal number(%rdi), %eax
#endif
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
	ADD(1)
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
	ADD(2)
	ret

	/* A label where another file's function begins, as Go has runtime.etext. */
	.globl	end_of_code
	.type	end_of_code, @function
end_of_code:
	.section .note.GNU-stack, "", @progbits
