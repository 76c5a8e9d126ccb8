/* SPDX-License-Identifier: MIT */
/* sigaction.h - libc's sigaction(2), behind the one that is interposed. */
#ifndef WCM_PRELOAD_SIGACTION_H
#define WCM_PRELOAD_SIGACTION_H

/* Before the report is installed: it must reach libc's. */
void wcm__sigaction_prepare(void);

#endif
