/* SPDX-License-Identifier: MIT */
/* sigaction.h - libc's sigaction(2), behind the one that is interposed. */
#ifndef WCM_PRELOAD_SIGACTION_H
#define WCM_PRELOAD_SIGACTION_H

#include <stdbool.h>

/* Whether the program, a sanitizer in it, or a library has one as well. */
bool wcm__sigaction_is_interposed(void);

/* Before the report is installed: it must reach libc's. */
void wcm__sigaction_prepare(void);

#endif
