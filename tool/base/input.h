/* SPDX-License-Identifier: MIT */
/* input.h - how is an input opened that the command was given?
 *
 * It may be any kind of file, but in a folder where many users leave their reports a pipe
 * that nobody writes, or a link to a device, is there to be waited for.
 */
#ifndef WCM_TOOL_INPUT_H
#define WCM_TOOL_INPUT_H

/* Open PATH to be read: a regular file, or a pipe or device that no other user has put
 * there.  Returns a descriptor; or -1, and *WHY in words. */
int input_open(const char *path, const char **why);

#endif
