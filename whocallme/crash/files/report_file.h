/* SPDX-License-Identifier: MIT */
/* report_file.h (SAFE) - opens the file of a report, and names it. */
#ifndef WCM_FILES_REPORT_FILE_H
#define WCM_FILES_REPORT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/words.h"

/* Whether PATTERN can be made a name: %p, %e, %t and %% are all there is. */
bool wcm__crash_file_is_pattern(const char *pattern);

/* Put the path that PATTERN names now: %p is the process, %% a percent sign; in a REPORT's, %e is
 * the program and %t the time in seconds since 1970.  Returns whether %p was there. */
bool wcm__path_of_pattern(struct wcm_words *path, const char *pattern, bool is_report);

/* Create the file that PATTERN names now, for writing; APPEND: or go on with the one
 * that is there.  Returns a descriptor, or by DEADLINE, of wcm__clock_ns(), a negated
 * errno; *PATH is the name, as far as it was made, until the next call.  For one
 * thread at a time. */
int wcm__crash_file_open(const char *pattern, bool append, uint64_t deadline,
			 const char **path);

/* Close FD, opened with APPEND or not.  WHOLE: all of the report was written to it;
 * what is appended to a file is whole or is left out.  Returns 0 where the file has
 * the report now, or a negated errno. */
int wcm__crash_file_close(int fd, bool append, bool whole, uint64_t deadline);

/* ERROR, a negated errno, in words; NULL: there are none. */
const char *wcm__crash_file_reason(int error);

/* Write a line to FD: why PATH has no whole report; ERROR as above. */
void wcm__crash_file_complain(int fd, const char *path, int error);

#endif
