/* SPDX-License-Identifier: MIT */
/* regular.h - opens a file only if it is a regular one.
 *
 * A path that somebody else has written, in a report, a recording or debug data, may be a
 * trap: a pipe has its reader wait for a writer, and a device does things when it is opened,
 * as a watchdog begins to run.
 */
#ifndef WCM_FORMAT_REGULAR_H
#define WCM_FORMAT_REGULAR_H

#include <stdint.h>

/* Open PATH to be read; *SIZE, unless NULL, gets its bytes.  Returns a descriptor, or a
 * negated errno: -EINVAL where it is no regular file, and was not opened.  It does not
 * wait. */
int wcm__regular_open(const char *path, uint64_t *size);

#endif
