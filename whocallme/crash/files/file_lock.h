/* SPDX-License-Identifier: MIT */
/* file_lock.h (SAFE) - locks a file that several processes write to (flock(2)), with a time
 * limit.
 */
#ifndef WCM_FILES_FILE_LOCK_H
#define WCM_FILES_FILE_LOCK_H

#include <stdint.h>

/* Wait for FD's lock until wcm__clock_ns() is UNTIL.  Returns 0 or a negated errno,
 * -ETIMEDOUT where somebody keeps it. */
int wcm__file_lock(int fd, uint64_t until);

/* Give it back.  To close FD is not enough: a child that was forked meanwhile has it,
 * too. */
void wcm__file_unlock(int fd);

#endif
