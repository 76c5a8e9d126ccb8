/* SPDX-License-Identifier: MIT */
/* aarch64/columns.h (SAFE) - DWARF register numbers (DWARF for the Arm 64-bit Architecture, 4.1).
 *
 * Those of vectors are not followed, nor RA_SIGN_STATE: an address is stripped of its
 * authentication whether it has been signed or not.
 */
#ifndef WCM_ARCH_COLUMNS_H
#define WCM_ARCH_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	WCM_HAS_LINK_REGISTER = true, /* the return address is in x30 at first */
	WCM_CALLEE_MAY_POP = false, /* arguments are the caller's to take off */
	WCM_HOOK_ARGUMENTS = 0, /* its arguments are in registers */
	WCM_CODE_SHIFT = 2, /* instructions are aligned to 1 << this */
	WCM_LARGEST_PAGE = 64 * 1024, /* bytes; a kernel may have smaller ones */
	WCM_COLUMN_FP = 29,
	WCM_COLUMN_RA = 30,
	WCM_COLUMN_SP = 31,
	WCM_COLUMNS = 32,
};

/* x19-x29, sp: what a callee gives back (AAPCS64, 6.1.1) */
#define WCM_COLUMNS_PRESERVED (UINT32_C(0x7ff) << 19 | UINT32_C(1) << WCM_COLUMN_SP)

#endif
