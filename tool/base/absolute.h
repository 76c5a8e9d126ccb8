/* SPDX-License-Identifier: MIT */
/* absolute.h - makes a name absolute. */
#ifndef WCM_TOOL_ABSOLUTE_H
#define WCM_TOOL_ABSOLUTE_H

#include "format/path.h"

/* NAME, or the same in PATH with the present directory before it.  NULL, with errno, where
 * there is no such path. */
const char *absolute_path(const char *name, char path[WCM_PATH_ROOM]);

#endif
