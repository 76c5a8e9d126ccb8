/* SPDX-License-Identifier: MIT */
/* signals.h - has the program see its signals as it would without the library. */
#ifndef WCM_WATCH_SIGNALS_H
#define WCM_WATCH_SIGNALS_H

#include <stdbool.h>

/* Whether the program, a sanitizer in it, or a library has a sigaction(2) as well. */
bool wcm__sigaction_is_interposed(void);

#endif
