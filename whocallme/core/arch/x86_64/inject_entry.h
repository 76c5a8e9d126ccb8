/* SPDX-License-Identifier: MIT */
/* x86_64/inject_entry.h (SAFE) - the function ENTRY, which calls TO(prefix, length, ip, caller)
 * and keeps all registers.
 *
 * Those that a callee may change (psABI, 3.2.1) and the flags are put back; vectors and the x87
 * unit are not touched, for TO uses general registers only.  The flags are saved by lahf: pushf
 * would save the trap flag of a debugger that steps, and put it back when nobody steps any more.
 * The stack need not be aligned.
 */
#ifndef WCM_ARCH_INJECT_ENTRY_H
#define WCM_ARCH_INJECT_ENTRY_H

#define WCM_ARCH_INJECT_ENTRY(entry, to)                                       \
	__asm__(".text\n"                                                      \
		"\t.p2align 4\n"                                               \
		"\t.globl " #entry "\n"                                        \
		"\t.hidden " #entry "\n"                                       \
		"\t.type " #entry ", @function\n" #entry ":\n"                 \
		"\t.cfi_startproc\n"                                           \
		"\tpushq %rbp\n"                                               \
		"\t.cfi_def_cfa_offset 16\n"                                   \
		"\t.cfi_offset %rbp, -16\n"                                    \
		"\tmovq %rsp, %rbp\n"                                          \
		"\t.cfi_def_cfa_register %rbp\n"                               \
		"\tpushq %rax\n"                                               \
		"\tlahf\n"                                                     \
		"\tseto %al\n"                                                 \
		"\tpushq %rax\n"                                               \
		"\tpushq %rcx\n"                                               \
		"\tpushq %rdx\n"                                               \
		"\tpushq %rsi\n"                                               \
		"\tpushq %rdi\n"                                               \
		"\tpushq %r8\n"                                                \
		"\tpushq %r9\n"                                                \
		"\tpushq %r10\n"                                               \
		"\tpushq %r11\n"                                               \
		"\tmovq 8(%rbp), %rcx\n"                                       \
		"\tandq $-16, %rsp\n"                                          \
		"\tcall " #to "\n"                                             \
		"\tleaq -80(%rbp), %rsp\n"                                     \
		"\tpopq %r11\n"                                                \
		"\tpopq %r10\n"                                                \
		"\tpopq %r9\n"                                                 \
		"\tpopq %r8\n"                                                 \
		"\tpopq %rdi\n"                                                \
		"\tpopq %rsi\n"                                                \
		"\tpopq %rdx\n"                                                \
		"\tpopq %rcx\n"                                                \
		"\tpopq %rax\n"                                                \
		"\taddb $0x7f, %al\n" /* overflows where it had */             \
		"\tsahf\n"                                                     \
		"\tpopq %rax\n"                                                \
		"\tpopq %rbp\n"                                                \
		"\t.cfi_def_cfa %rsp, 8\n"                                     \
		"\t.cfi_restore %rbp\n"                                        \
		"\tret\n"                                                      \
		"\t.cfi_endproc\n"                                             \
		"\t.size " #entry ", . - " #entry "\n")

/* Have FUNCTION called by the _init() of the object that this is linked into, where it has one. */
#define WCM_ARCH_INJECT_START(function)                                        \
	__asm__(".pushsection .init, \"ax\", @progbits\n"                       \
		"\tcall " #function "\n"                                       \
		"\t.popsection\n")

#endif
