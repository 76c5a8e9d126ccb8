/* SPDX-License-Identifier: MIT */
/* regular.h - how is a file opened that is to be a regular one?
 *
 * A path that somebody else has written, in a report, a recording or debug data, may be a
 * trap: a pipe has its reader wait for a writer, and a device does things when it is opened,
 * as a watchdog begins to run.
 */
#ifndef WCM_FILES_REGULAR_H
#define WCM_FILES_REGULAR_H

#include <stdint.h>

/* Open PATH to be read; *SIZE, unless NULL, gets its bytes.  Returns a descriptor, or a
 * negated errno: -EINVAL where it is no regular file, and was not opened.  It does not
 * wait. */
int wcm__regular_open(const char *path, uint64_t *size);

#endif
