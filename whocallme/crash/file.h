/* SPDX-License-Identifier: MIT */
/* file.h - the file that a report goes to. */
#ifndef WCM_CRASH_FILE_H
#define WCM_CRASH_FILE_H

#include <stdbool.h>

/* Whether PATTERN can be made a name: %p, %e, %t and %% are all there is. */
bool wcm__crash_file_is_pattern(const char *pattern);

/* Create the file that PATTERN names now, for writing.  Returns a descriptor, or
 * a negated errno; *PATH is the name, as far as it was made, until the next call.
 * For one thread at a time. */
int wcm__crash_file_open(const char *pattern, const char **path);

/* Close FD. */
void wcm__crash_file_close(int fd);

/* Write a line to FD: why PATH has no whole report; ERROR as above, or 0. */
void wcm__crash_file_complain(int fd, const char *path, int error);

#endif
