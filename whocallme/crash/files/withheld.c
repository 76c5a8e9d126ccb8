/* SPDX-License-Identifier: MIT */
/* withheld.c (SAFE) - decides whether a report may show the program's memory.
 *
 * The user who started a program with privileges of its own reads its stderr, but may
 * not read its memory.  If the kernel makes no core of the process, or one for root
 * alone, the report shows nothing of its memory either.
 */
#include "crash/files/withheld.h"

#include "core/os/auxv.h"
#include "core/os/process.h"

enum wcm_withheld wcm__withheld(void)
{
	enum { DUMPABLE = 1 }; /* 2: by root alone */

	if (wcm__auxv(AT_SECURE))
		return WCM_WITHHELD_PRIVILEGED;
	/* Where the kernel does not say, it may be that it is not. */
	return wcm__prctl(PR_GET_DUMPABLE, 0, 0) == DUMPABLE ? WCM_WITHHELD_NOTHING
							     : WCM_WITHHELD_NOT_DUMPABLE;
}
