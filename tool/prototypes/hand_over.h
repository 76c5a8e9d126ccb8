/* SPDX-License-Identifier: MIT */
/* hand_over.h - hands prototypes over to a program. */
#ifndef WCM_TOOL_HAND_OVER_H
#define WCM_TOOL_HAND_OVER_H

/* Have the program at PATH know the prototypes of its functions with sleds whose names are of
 * GLOBS, and those of the libraries that it needs. */
void prototypes_hand_over(const char *path, const char *globs);

/* Such a list of the files that process PID has mapped, which nobody can change; -1: there is none,
 * or it cannot be read. */
int prototypes_of_process(long pid, const char *globs);

#endif
