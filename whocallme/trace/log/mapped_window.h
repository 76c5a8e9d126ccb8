/* SPDX-License-Identifier: MIT */
/* mapped_window.h (SAFE) - writes lines to the end of a file through shared mappings. */
#ifndef WCM_TEXT_MAPPED_WINDOW_H
#define WCM_TEXT_MAPPED_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Lines go to the end of a regular file, open for reading and appending, whose descriptor
 * is asked of FILE whenever it is needed: a program may close it, -1: for good.
 * NAMES_PROCESSES: where lines of two meet, "# process PID" stands behind the
 * first's, and that or, at its beginning, "# process PID begins" before the other's. */
void wcm__mapped_window_begin(bool names_processes, int (*file)(void));

/* Append PARTS, SIZE bytes in all, which are used up.  Returns 0 or a negated errno. */
int wcm__mapped_window_write(struct iovec *parts, int count, size_t size);

/* Cut off what was made ready and not used. */
void wcm__mapped_window_end(void);

/* The same, and lines may follow all the same. */
void wcm__mapped_window_trim(void);

/* In a child of fork(2), where what is mapped is the parent's to write. */
void wcm__mapped_window_abandon(void);

#endif
