/* SPDX-License-Identifier: MIT */
/* withheld.c - whether a report may say all that it knows.
 *
 * The user who started a program with privileges of its own reads its stderr, but may
 * not read its memory.  What the kernel makes no core of, or one for root alone, shows
 * none of it in a report either.
 */
#include "crash/withheld.h"

#include <sys/prctl.h>

#include "symbols/auxv.h"
#include "syscall.h"

enum wcm_withheld wcm__withheld(void)
{
	enum { DUMPABLE = 1 }; /* 2: by root alone */

	if (wcm__auxv(AT_SECURE))
		return WCM_WITHHELD_PRIVILEGED;
	/* Where the kernel does not say, it may be that it is not. */
	return wcm__syscall(SYS_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0, 0) == DUMPABLE
		       ? WCM_WITHHELD_NOTHING
		       : WCM_WITHHELD_NOT_DUMPABLE;
}
