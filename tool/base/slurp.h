/* SPDX-License-Identifier: MIT */
/* slurp.h - a small file as one string. */
#ifndef WCM_TOOL_SLURP_H
#define WCM_TOOL_SLURP_H

#include <stddef.h>

/* All of file NAME in DIR, a recording, with a zero byte added, the caller's to free; NULL, with
 * errno, where it cannot be read.  What is no regular file (EINVAL), a link (ELOOP), or
 * larger than any of a recording's tables (EFBIG) is not read. */
char *slurp(const char *dir, const char *name);

/* The same of a file of the user's own, which may be a link. */
char *slurp_file(const char *path);

/* The same of an input, as input_open() opens it; *WHY says what keeps it from being read. */
char *slurp_input(const char *path, const char **why);

#endif
