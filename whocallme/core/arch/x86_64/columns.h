/* SPDX-License-Identifier: MIT */
/* x86_64/columns.h - DWARF register numbers (psABI, figure 3.36). */
#ifndef WCM_ARCH_COLUMNS_H
#define WCM_ARCH_COLUMNS_H

enum {
	WCM_COLUMN_FP = 6,
	WCM_COLUMN_SP = 7,
	WCM_COLUMN_RA = 16,
	WCM_COLUMNS = 17,
	/* rbx, rbp, rsp, r12-r15: what a callee gives back (figure 3.4) */
	WCM_COLUMNS_PRESERVED = 1 << 3 | 1 << 6 | 1 << 7 | 15 << 12,
};

#endif
