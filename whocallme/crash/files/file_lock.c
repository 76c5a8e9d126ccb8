/* SPDX-License-Identifier: MIT */
/* file_lock.c (SAFE) - locks a file that several processes write to (flock(2)), with a time
 * limit.
 *
 * It polls: a blocking flock(2) has no time limit, and any process that may read the
 * file can keep it locked.
 */
#include "crash/files/file_lock.h"

#include <errno.h>

#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/process.h"

enum { YIELDS = 32 };

int wcm__file_lock(int fd, uint64_t until)
{
	int error;

	for (int turn = 0; (error = wcm__flock(fd, LOCK_EX | LOCK_NB)) == -EWOULDBLOCK; turn++) {
		if (wcm__clock_ns() >= until)
			return -ETIMEDOUT;
		if (turn < YIELDS)
			wcm__sched_yield();
		else
			wcm__nanosleep(1000000);
	}
	return error;
}

void wcm__file_unlock(int fd)
{
	wcm__flock(fd, LOCK_UN);
}
