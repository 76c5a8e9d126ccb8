/* SPDX-License-Identifier: MIT */
/* regular.h (SAFE) - opens a file only if it is a regular one, and not the kernel's.
 *
 * A path that somebody else has written, in a report, a recording or debug data, may be a
 * trap: a pipe has its reader wait for a writer, and a device does things when it is opened,
 * as a watchdog begins to run.  Files of the kernel's own file systems call themselves regular
 * and do things when they are read: /proc/kmsg and trace_pipe hand out what they have once.
 */
#ifndef WCM_FORMAT_REGULAR_H
#define WCM_FORMAT_REGULAR_H

#include <stdint.h>

/* Open PATH to be read; *SIZE, unless NULL, gets its bytes.  Returns a descriptor, or a
 * negated errno: -EINVAL where it is no regular file, or the kernel's, and was not opened;
 * -EAGAIN where another process has a lease of it (F_SETLEASE).  It does not wait. */
int wcm__regular_open(const char *path, uint64_t *size);

/* Open PATH as wcm__regular_open() does, to be read.  -EPERM unless OWNER owns the file, it has one
 * name, and not all may write it; a symbolic link is refused. */
int wcm__regular_open_own(const char *path, unsigned owner);

/* 0 where FD is such a file, of *SIZE bytes; else a negated errno, FD's own if it is one. */
int wcm__regular_check(int fd, uint64_t *size);

#endif
