/* SPDX-License-Identifier: MIT */
/* generic/columns.h (SAFE) - no register is known by its DWARF number. */
#ifndef WCM_ARCH_COLUMNS_H
#define WCM_ARCH_COLUMNS_H

#include <stdbool.h>

enum {
	WCM_HAS_LINK_REGISTER = false, /* the return address's column is the pc's */
	WCM_CALLEE_MAY_POP = false, /* arguments are the caller's to take off */
	WCM_HOOK_ARGUMENTS = 0, /* its arguments are in registers */
	WCM_CODE_SHIFT = 0, /* instructions are aligned to 1 << this */
	WCM_LARGEST_PAGE = 64 * 1024, /* bytes; a kernel may have smaller ones */
	WCM_COLUMN_FP = 0,
	WCM_COLUMN_SP = 1,
	WCM_COLUMN_RA = 2,
	WCM_COLUMNS = 3,
	WCM_COLUMNS_PRESERVED = 0,
};

#endif
