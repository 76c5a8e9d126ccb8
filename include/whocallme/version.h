/* SPDX-License-Identifier: MIT */
/* whocallme/version.h - which library this is.  Include <whocallme.h> instead.
 */
#ifndef WHOCALLME_VERSION_H
#define WHOCALLME_VERSION_H

#include <whocallme/base.h>

#define WCM_VERSION_MAJOR 0
#define WCM_VERSION_MINOR 1
#define WCM_VERSION_PATCH 0
#define WCM_VERSION "0.1.0"

WCM_BEGIN_DECLS

/* The version of the library that is running, as WCM_VERSION names the one
 * that was compiled against.  A constant string. */
WCM_API WCM_SIGSAFE const char *wcm_version(void);

WCM_END_DECLS

#endif
