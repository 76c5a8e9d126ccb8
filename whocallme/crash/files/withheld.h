/* SPDX-License-Identifier: MIT */
/* withheld.h (SAFE) - decides whether a report may show the program's memory. */
#ifndef WCM_FILES_WITHHELD_H
#define WCM_FILES_WITHHELD_H

#include "whocallme/crash.h"

/* Why the kernel would make no core of the process that its user may read. */
enum wcm_withheld {
	WCM_WITHHELD_NOTHING,
	WCM_WITHHELD_PRIVILEGED,   /* the program is set-user-ID or the like (AT_SECURE) */
	WCM_WITHHELD_NOT_DUMPABLE, /* prctl(2), PR_GET_DUMPABLE */
};

/* What holds at this moment: a process that changes its ids is not dumpable any more. */
enum wcm_withheld wcm__withheld(void);

/* The sections that a report may have all the same: names, and offsets in what they
 * name. */
enum { WCM_SECTIONS_NOT_WITHHELD = WCM_SECTION_PROGRAM | WCM_SECTION_STACK |
				   WCM_SECTION_THREADS | WCM_SECTION_CALLS };

#endif
