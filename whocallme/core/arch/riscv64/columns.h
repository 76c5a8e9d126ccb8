/* SPDX-License-Identifier: MIT */
/* riscv64/columns.h (SAFE) - DWARF register numbers (RISC-V ELF psABI, "DWARF Register Numbers").
 *
 * x0 to x31 are 0 to 31.  The floating-point registers, from 32 on, are not followed.
 */
#ifndef WCM_ARCH_COLUMNS_H
#define WCM_ARCH_COLUMNS_H

#include <stdbool.h>

enum {
	WCM_HAS_LINK_REGISTER = true, /* the return address has a column of its own */
	WCM_CALLEE_MAY_POP = false, /* arguments are the caller's to take off */
	WCM_HOOK_ARGUMENTS = 0, /* its arguments are in registers */
	WCM_CODE_SHIFT = 1, /* instructions are aligned to 1 << this */
	WCM_LARGEST_PAGE = 4096, /* bytes */
	WCM_COLUMN_RA = 1,
	WCM_COLUMN_SP = 2,
	WCM_COLUMN_FP = 8,
	WCM_COLUMNS = 32,
	/* zero, sp, gp, tp, s0 and s1, s2 to s11: what a callee gives back, or never changes */
	WCM_COLUMNS_PRESERVED = 1 << 0 | 7 << 2 | 3 << 8 | 0x3ff << 18,
};

#endif
