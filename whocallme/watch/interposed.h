/* SPDX-License-Identifier: MIT */
/* interposed.h - marks libc's functions that this library has in their place. */
#ifndef WCM_WATCH_INTERPOSED_H
#define WCM_WATCH_INTERPOSED_H

#include "whocallme/base.h"

/* A program that the static library is linked into may define its own. */
#ifdef PIC /* libtool's word for what goes into a shared library */
#define WCM_INTERPOSED WCM_API
#else
#define WCM_INTERPOSED WCM_API __attribute__((weak))
#endif

#endif
