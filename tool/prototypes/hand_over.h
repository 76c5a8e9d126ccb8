/* SPDX-License-Identifier: MIT */
/* hand_over.h - hands prototypes over to the program that this command becomes. */
#ifndef WCM_TOOL_HAND_OVER_H
#define WCM_TOOL_HAND_OVER_H

/* Have the program at PATH know the prototypes of its functions with sleds whose names are of
 * GLOBS, and those of the libraries that it needs. */
void prototypes_hand_over(const char *path, const char *globs);

#endif
