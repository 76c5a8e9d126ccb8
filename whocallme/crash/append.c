/* SPDX-License-Identifier: MIT */
/* append.c - how do the reports of many processes come into one file, whole?
 *
 * A report is written in parts and may take seconds.  So it is gathered in a file
 * in memory, and the lock that keeps the others out is held only while that is
 * copied.  Where there are no such files, it is held from the start.
 */
#include "crash/append.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>

#include "crash/file_lock.h"
#include "files/path.h"
#include "report/output.h"
#include "syscall.h"

/* The file, -1: none is open; and its size when the lock was taken, -1: it is not. */
static int target = -1;
static int64_t start = -1;

/* The one in memory; -1: there is none, or it is being copied. */
static int gathered = -1;

static void close_it(int fd)
{
	wcm__syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

static bool write_all(const char *bytes, size_t size)
{
	struct iovec part = { (void *)bytes, size };

	return wcm__output_write(target, &part, 1);
}

/* Lock the file.  One who died while writing to it has left a line without an end:
 * ours is not to be a part of that. */
static int begin(uint64_t deadline)
{
	char last = '\n';
	int error = wcm__file_lock(target, deadline);

	if (error < 0)
		return error;
	start = wcm__syscall(SYS_lseek, target, 0, SEEK_END, 0, 0, 0);
	if (start > 0)
		wcm__syscall(SYS_pread64, target, (long)&last, 1, start - 1, 0,
			     0);
	return last == '\n' || write_all("\n", 1) ? 0 : -ENODATA;
}

static int copy(int from)
{
	static char bytes[8192];
	int64_t at = 0;
	long count;

	while ((count = wcm__syscall(SYS_pread64, from, (long)bytes,
				     sizeof(bytes), at, 0, 0)) > 0) {
		if (!write_all(bytes, (size_t)count))
			return -ENODATA;
		at += count;
	}
	return count < 0 ? -ENODATA : 0;
}

/* Unlock it: a child may have inherited the descriptor, and the lock with it. */
static void end(bool keep)
{
	if (start >= 0 && !keep)
		wcm__syscall(SYS_ftruncate, target, start, 0, 0, 0, 0);
	wcm__file_unlock(target);
	close_it(target);
	target = -1;
	start = -1;
}

static int open_path(const char *path)
{
	long fd;
	int error;

	do
		fd = wcm__syscall(SYS_openat, AT_FDCWD, (long)path,
				  O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW |
					  O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
				  0600, 0, 0);
	while (fd == -EINTR);
	if (fd < 0)
		return (int)fd;
	error = wcm__path_check_own((int)fd);
	if (error < 0)
		close_it((int)fd);
	return error < 0 ? error : (int)fd;
}

int wcm__append_open(const char *path, uint64_t deadline)
{
	int fd = open_path(path), error;

	if (fd < 0)
		return fd;
	target = fd;
	fd = (int)wcm__syscall(SYS_memfd_create, (long)"whocallme", MFD_CLOEXEC,
			       0, 0, 0, 0);
	if (fd >= 0)
		return gathered = fd;
	error = begin(deadline);
	if (error < 0)
		end(false);
	return error < 0 ? error : target;
}

int wcm__append_close(int fd, bool keep, uint64_t deadline)
{
	int error = 0;

	gathered = -1;
	if (fd != target) {
		error = keep ? begin(deadline) : 0;
		if (keep && error == 0)
			error = copy(fd);
		close_it(fd);
	}
	end(keep && error == 0);
	return error;
}

void wcm__append_rescue(uint64_t deadline)
{
	if (gathered >= 0)
		wcm__append_close(gathered, true, deadline);
}
