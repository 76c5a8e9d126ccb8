/* SPDX-License-Identifier: MIT */
/* append.h (SAFE) - appends the reports of many processes to one file, each in one piece. */
#ifndef WCM_FILES_APPEND_H
#define WCM_FILES_APPEND_H

#include <stdbool.h>
#include <stdint.h>

/* Begin one more report for the file that is open as FD, to append to; others may do
 * the same at this moment.  Only a regular file of this user's own, with no other
 * name, will do.  Returns a descriptor to write the report to, or a negated errno
 * by DEADLINE, of wcm__clock_ns(): then FD is closed. */
int wcm__append_open(int fd, uint64_t deadline);

/* Put what was written to FD, from wcm__append_open(), behind what the file has, and
 * close both; KEEP false: forget it.  Returns 0 or, by DEADLINE, a negated errno: then
 * nothing was added. */
int wcm__append_close(int fd, bool keep, uint64_t deadline);

/* The process dies before wcm__append_close(): keep what was written so far. */
void wcm__append_rescue(uint64_t deadline);

#endif
