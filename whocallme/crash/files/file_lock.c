/* SPDX-License-Identifier: MIT */
/* file_lock.c - locks a file that several processes write to (flock(2)), with a time
 * limit.
 *
 * It polls: a blocking flock(2) has no time limit, and any process that may read the
 * file can keep it locked.
 */
#include "crash/files/file_lock.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include "core/os/clock.h"
#include "syscall.h"

enum { YIELDS = 32 };

int wcm__file_lock(int fd, uint64_t until)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	long error;

	for (int turn = 0;
	     (error = wcm__syscall(SYS_flock, fd, LOCK_EX | LOCK_NB, 0, 0, 0, 0)) ==
	     -EWOULDBLOCK;
	     turn++) {
		if (wcm__clock_ns() >= until)
			return -ETIMEDOUT;
		if (turn < YIELDS)
			wcm__syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
		else
			wcm__syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	}
	return (int)error;
}

void wcm__file_unlock(int fd)
{
	wcm__syscall(SYS_flock, fd, LOCK_UN, 0, 0, 0, 0);
}
