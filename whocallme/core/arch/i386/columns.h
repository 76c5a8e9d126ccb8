/* SPDX-License-Identifier: MIT */
/* i386/columns.h (SAFE) - DWARF register numbers (psABI IA32, table 2.14). */
#ifndef WCM_ARCH_COLUMNS_H
#define WCM_ARCH_COLUMNS_H

#include <stdbool.h>

enum {
	WCM_HAS_LINK_REGISTER = false, /* the return address's column is the pc's */
	WCM_CALLEE_MAY_POP = true, /* ret $4 behind the address of a result */
	WCM_HOOK_ARGUMENTS = 16, /* two are pushed, and what aligns the stack pointer there */
	WCM_CODE_SHIFT = 0, /* instructions are aligned to 1 << this */
	WCM_LARGEST_PAGE = 4096, /* bytes */
	WCM_COLUMN_SP = 4,
	WCM_COLUMN_FP = 5,
	WCM_COLUMN_RA = 8,
	WCM_COLUMNS = 9,
	/* ebx, esp, ebp, esi, edi: what a callee gives back (table 2.3) */
	WCM_COLUMNS_PRESERVED = 31 << 3,
};

#endif
