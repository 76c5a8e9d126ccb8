/* SPDX-License-Identifier: MIT */
/* x86_64/columns.h (SAFE) - DWARF register numbers (psABI, figure 3.36). */
#ifndef WCM_ARCH_COLUMNS_H
#define WCM_ARCH_COLUMNS_H

#include <stdbool.h>

enum {
	WCM_HAS_LINK_REGISTER = false, /* the return address's column is the pc's */
	WCM_CALLEE_MAY_POP = false, /* arguments are the caller's to take off */
	WCM_HOOK_ARGUMENTS = 0, /* its arguments are in registers */
	WCM_CODE_SHIFT = 0, /* instructions are aligned to 1 << this */
	WCM_LARGEST_PAGE = 4096, /* bytes */
	WCM_COLUMN_FP = 6,
	WCM_COLUMN_SP = 7,
	WCM_COLUMN_RA = 16,
	WCM_COLUMNS = 17,
	/* rbx, rbp, rsp, r12-r15: what a callee gives back (figure 3.4) */
	WCM_COLUMNS_PRESERVED = 1 << 3 | 1 << 6 | 1 << 7 | 15 << 12,
};

#endif
