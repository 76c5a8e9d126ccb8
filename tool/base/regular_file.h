/* SPDX-License-Identifier: MIT */
/* regular_file.h - opens a file that is to be a regular one.  As the library opens it:
 * format/regular.h.
 */
#ifndef WCM_TOOL_REGULAR_FILE_H
#define WCM_TOOL_REGULAR_FILE_H

#include <stdint.h>
#include <stdio.h>

/* Open PATH to be read; *SIZE, unless NULL, gets its bytes.  Returns a descriptor, or -1
 * with errno: EINVAL where it is no regular file.  It does not wait. */
int regular_open(const char *path, uint64_t *size);

/* The same of a file in a recording, whose writer may be somebody else: a link, which may lead
 * to what only the reader may read, is refused with ELOOP. */
int regular_open_part(const char *path, uint64_t *size);

/* Both as a stream, or NULL. */
FILE *regular_stream(const char *path);
FILE *regular_stream_part(const char *path);

/* What ERROR, an errno of these, is in words. */
const char *regular_error(int error);

#endif
