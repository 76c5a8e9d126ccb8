/* SPDX-License-Identifier: MIT */
/* aarch64/inject_entry.h (SAFE) - the function ENTRY, which calls TO(prefix, length, ip, caller)
 * and keeps all registers.
 *
 * Those that a callee may change (AAPCS64, 6.1.1) and the flags are put back but for x16 and x17,
 * which a linker's veneer between caller and callee changes anyway; vectors are not touched, for TO
 * uses general registers only.
 */
#ifndef WCM_ARCH_INJECT_ENTRY_H
#define WCM_ARCH_INJECT_ENTRY_H

#define WCM_ARCH_INJECT_ENTRY(entry, to)                                       \
	__asm__(".text\n"                                                      \
		"\t.p2align 4\n"                                               \
		"\t.globl " #entry "\n"                                        \
		"\t.hidden " #entry "\n"                                       \
		"\t.type " #entry ", %function\n" #entry ":\n"                 \
		"\t.cfi_startproc\n"                                           \
		"\thint #34\n" /* bti c */                                     \
		"\tstp x29, x30, [sp, #-176]!\n"                               \
		"\t.cfi_def_cfa_offset 176\n"                                  \
		"\t.cfi_offset x29, -176\n"                                    \
		"\t.cfi_offset x30, -168\n"                                    \
		"\tmov x29, sp\n"                                              \
		"\tstp x0, x1, [sp, #16]\n"                                    \
		"\tstp x2, x3, [sp, #32]\n"                                    \
		"\tstp x4, x5, [sp, #48]\n"                                    \
		"\tstp x6, x7, [sp, #64]\n"                                    \
		"\tstp x8, x9, [sp, #80]\n"                                    \
		"\tstp x10, x11, [sp, #96]\n"                                  \
		"\tstp x12, x13, [sp, #112]\n"                                 \
		"\tstp x14, x15, [sp, #128]\n"                                 \
		"\tmrs x16, nzcv\n"                                            \
		"\tstp x18, x16, [sp, #144]\n"                                 \
		"\tmov x3, x30\n"                                              \
		"\tbl " #to "\n"                                               \
		"\tldp x18, x16, [sp, #144]\n"                                 \
		"\tmsr nzcv, x16\n"                                            \
		"\tldp x14, x15, [sp, #128]\n"                                 \
		"\tldp x12, x13, [sp, #112]\n"                                 \
		"\tldp x10, x11, [sp, #96]\n"                                  \
		"\tldp x8, x9, [sp, #80]\n"                                    \
		"\tldp x6, x7, [sp, #64]\n"                                    \
		"\tldp x4, x5, [sp, #48]\n"                                    \
		"\tldp x2, x3, [sp, #32]\n"                                    \
		"\tldp x0, x1, [sp, #16]\n"                                    \
		"\tldp x29, x30, [sp], #176\n"                                 \
		"\t.cfi_def_cfa_offset 0\n"                                    \
		"\t.cfi_restore x29\n"                                         \
		"\t.cfi_restore x30\n"                                         \
		"\tret\n"                                                      \
		"\t.cfi_endproc\n"                                             \
		"\t.size " #entry ", . - " #entry "\n")

/* Have FUNCTION called by the _init() of the object that this is linked into, where it has one. */
#define WCM_ARCH_INJECT_START(function)                                        \
	__asm__(".pushsection .init, \"ax\", %progbits\n"                       \
		"\tbl " #function "\n"                                         \
		"\t.popsection\n")

#endif
