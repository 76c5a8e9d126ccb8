/* SPDX-License-Identifier: MIT */
/* owned.h - opening a file that is named by somebody else. */
#ifndef WCM_TOOL_OWNED_H
#define WCM_TOOL_OWNED_H

/* Open the regular file NAME to read it.  No symbolic link on the way is followed but
 * those of root and of the user; where that is root, the file and all above it are its
 * own, and nobody else may write them (a sticky directory, as /tmp, may be written by
 * all).  Returns a descriptor, or -1. */
int owned_open(const char *name);

#endif
