/* SPDX-License-Identifier: MIT */
/* riscv64/inject_entry.h (SAFE) - the function ENTRY, which calls TO(prefix, length, ip, caller)
 * and keeps all registers.
 *
 * Those that a callee may change are put back; floating point registers are not touched, for TO
 * computes with integers only.
 */
#ifndef WCM_ARCH_INJECT_ENTRY_H
#define WCM_ARCH_INJECT_ENTRY_H

#define WCM_ARCH_INJECT_ENTRY(entry, to)                                       \
	__asm__(".text\n"                                                      \
		"\t.p2align 2\n"                                               \
		"\t.globl " #entry "\n"                                        \
		"\t.hidden " #entry "\n"                                       \
		"\t.type " #entry ", @function\n" #entry ":\n"                 \
		"\t.cfi_startproc\n"                                           \
		"\taddi sp, sp, -128\n"                                        \
		"\t.cfi_def_cfa_offset 128\n"                                  \
		"\tsd ra, 120(sp)\n"                                           \
		"\t.cfi_offset ra, -8\n"                                       \
		"\tsd t0, 0(sp)\n"                                             \
		"\tsd t1, 8(sp)\n"                                             \
		"\tsd t2, 16(sp)\n"                                            \
		"\tsd t3, 24(sp)\n"                                            \
		"\tsd t4, 32(sp)\n"                                            \
		"\tsd t5, 40(sp)\n"                                            \
		"\tsd t6, 48(sp)\n"                                            \
		"\tsd a0, 56(sp)\n"                                            \
		"\tsd a1, 64(sp)\n"                                            \
		"\tsd a2, 72(sp)\n"                                            \
		"\tsd a3, 80(sp)\n"                                            \
		"\tsd a4, 88(sp)\n"                                            \
		"\tsd a5, 96(sp)\n"                                            \
		"\tsd a6, 104(sp)\n"                                           \
		"\tsd a7, 112(sp)\n"                                           \
		"\tmv a3, ra\n"                                                \
		"\tcall " #to "\n"                                             \
		"\tld t0, 0(sp)\n"                                             \
		"\tld t1, 8(sp)\n"                                             \
		"\tld t2, 16(sp)\n"                                            \
		"\tld t3, 24(sp)\n"                                            \
		"\tld t4, 32(sp)\n"                                            \
		"\tld t5, 40(sp)\n"                                            \
		"\tld t6, 48(sp)\n"                                            \
		"\tld a0, 56(sp)\n"                                            \
		"\tld a1, 64(sp)\n"                                            \
		"\tld a2, 72(sp)\n"                                            \
		"\tld a3, 80(sp)\n"                                            \
		"\tld a4, 88(sp)\n"                                            \
		"\tld a5, 96(sp)\n"                                            \
		"\tld a6, 104(sp)\n"                                           \
		"\tld a7, 112(sp)\n"                                           \
		"\tld ra, 120(sp)\n"                                           \
		"\t.cfi_restore ra\n"                                          \
		"\taddi sp, sp, 128\n"                                         \
		"\t.cfi_def_cfa_offset 0\n"                                    \
		"\tret\n"                                                      \
		"\t.cfi_endproc\n"                                             \
		"\t.size " #entry ", . - " #entry "\n")

/* Objects have no _init() here: the environment is read at the first event. */
#define WCM_ARCH_INJECT_START(function)                                        \
	_Static_assert(sizeof(&(function)) > 0, "it is never called")

#endif
