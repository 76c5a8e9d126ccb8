/* SPDX-License-Identifier: MIT */
/* interposed.h - marks this library's functions that replace libc's, in the shared and the static
 * library alike.
 *
 * What the shared libraries alone replace is WCM_API.  libwhocallme.map lists each.
 */
#ifndef WCM_WATCH_INTERPOSED_H
#define WCM_WATCH_INTERPOSED_H

#include <stdbool.h>

#include "whocallme/base.h"

#ifdef PIC /* libtool's word for what goes into a shared library */
#define WCM_INTERPOSED WCM_API
#else /* a program may define a function of that name itself */
#define WCM_INTERPOSED WCM_API __attribute__((weak))
#endif

/* signals.c: has the program see its signals as it would without the library. */

/* Whether the program, a sanitizer in it, or a library has a sigaction(2) as well. */
bool wcm__sigaction_is_interposed(void);

#endif
