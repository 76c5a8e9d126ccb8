/* SPDX-License-Identifier: MIT */
/* sled_inside.S - bytes that look like NOPs and are none, listed as if a function began there. */
#ifdef __aarch64__
#define NOPS .word 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f
#define ENTRY(at) .xword at
/* What is read is behind the code. */
#define GIVE(name) ldr w0, name##_inside; ret; name##_inside: NOPS
#else
#define NOPS .byte 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90
#ifdef __i386__
#define ENTRY(at) .long at
#else
#define ENTRY(at) .quad at
#endif
/* The operand of an instruction, and one NOP. */
#define GIVE(name) .byte 0xb8; .set name##_inside, .; .long 0x90909090; nop; ret
#endif
#define LIST(at) \
	.section __patchable_function_entries, "awo", @progbits, .text; \
	ENTRY(at); \
	.text
	.text
	.globl	described, sized, bare, look

	.type	described, @function
described:
	.cfi_startproc
	GIVE(.Ldescribed)
	.cfi_endproc
	LIST(.Ldescribed_inside)

	.type	sized, @function
sized:
	GIVE(.Lsized)
	.size	sized, . - sized
	LIST(.Lsized_inside)

bare:
	GIVE(.Lbare)
	LIST(.Lbare_inside)

	/* Data within the code. */
	.type	look, @object
look:
	NOPS
	.long	0
	.size	look, . - look
	LIST(look)
	.section .note.GNU-stack, "", @progbits
