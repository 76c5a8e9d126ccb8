/* SPDX-License-Identifier: MIT */
/* absolute.h - where does a name lead from the present directory on? */
#ifndef WCM_TOOL_ABSOLUTE_H
#define WCM_TOOL_ABSOLUTE_H

#include "files/path.h"

/* NAME, or the same in PATH with the present directory before it.  NULL, with errno, where
 * there is no such path. */
const char *absolute_path(const char *name, char path[WCM_PATH_ROOM]);

#endif
