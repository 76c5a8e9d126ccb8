/* SPDX-License-Identifier: MIT */
/* input.h - opens an input file, but not through another user's pipe or link.
 *
 * In a shared folder another user can leave a pipe that nobody writes, or a link to a
 * device, to make the command wait forever.  These are refused.
 */
#ifndef WCM_TOOL_INPUT_H
#define WCM_TOOL_INPUT_H

/* Open PATH to be read: a regular file, or a pipe or device that only this user or root
 * can have put there.  Returns a descriptor; or -1, and *WHY in words. */
int input_open(const char *path, const char **why);

#endif
