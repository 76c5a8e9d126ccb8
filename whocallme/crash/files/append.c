/* SPDX-License-Identifier: MIT */
/* append.c - appends the reports of many processes to one file, each in one piece.
 *
 * A report is written in parts and may take seconds.  So it is gathered in a file in
 * memory (memfd), and the lock that keeps others out is held only while that is copied,
 * by one system call.  Where there is no memfd, the lock is held from the start.
 */
#include "crash/files/append.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>

#include "core/os/clock.h"
#include "core/os/output.h"
#include "crash/files/file_lock.h"
#include "format/path.h"
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

/* Whether one who died while writing to the file, whose size is SIZE, has left a line
 * without an end: ours is not to be a part of that. */
static bool is_within_line(int64_t size)
{
	char last = '\n';

	if (size > 0)
		wcm__syscall(SYS_pread64, target, (long)&last, 1, size - 1, 0, 0);
	return last != '\n';
}

static int64_t size_of(int fd)
{
	return wcm__syscall(SYS_lseek, fd, 0, SEEK_END, 0, 0, 0);
}

/* Lock the file, to write to it part by part. */
static int begin(uint64_t deadline)
{
	int error = wcm__file_lock(target, deadline);

	if (error < 0)
		return error;
	start = size_of(target);
	return !is_within_line(start) || write_all("\n", 1) ? 0 : -ENODATA;
}

static bool copy_in_parts(int from)
{
	static char bytes[8192];
	int64_t at = 0;
	long count;

	while ((count = wcm__syscall(SYS_pread64, from, (long)bytes,
				     sizeof(bytes), at, 0, 0)) > 0) {
		if (!write_all(bytes, (size_t)count))
			return false;
		at += count;
	}
	return count == 0;
}

/* By one system call, which the kernel does not do while another is appended. */
static bool copy_at_once(const char *bytes, int64_t size)
{
	struct iovec parts[] = { { (void *)"\n", 1 }, { (void *)bytes, (size_t)size } };

	return is_within_line(size_of(target)) ?
		       wcm__output_write(target, parts, 2) :
		       wcm__output_write(target, parts + 1, 1);
}

/* Whoever may read the file can keep it locked: that costs a second, and what is done
 * about a full disk. */
static int copy(int from, uint64_t deadline)
{
	const uint64_t patience = wcm__clock_ns() + 1000000000u;
	const int error = wcm__file_lock(target, deadline < patience ? deadline : patience);
	const int64_t size = size_of(from);
	long bytes;
	bool is_copied;

	if (size <= 0)
		return size < 0 ? -ENODATA : 0;
	if (error == 0)
		start = size_of(target);
	bytes = wcm__syscall(SYS_mmap, 0, size, PROT_READ, MAP_SHARED, from, 0);
	if (bytes > 0 || bytes < -4095) {
		is_copied = copy_at_once((const char *)bytes, size);
		wcm__syscall(SYS_munmap, bytes, size, 0, 0, 0, 0);
	} else if (error < 0) {
		return error;
	} else {
		is_copied = (!is_within_line(start) || write_all("\n", 1)) &&
			    copy_in_parts(from);
	}
	return is_copied ? 0 : -ENODATA;
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

int wcm__append_open(int fd, uint64_t deadline)
{
	int error = wcm__path_check_own(fd);

	if (error < 0) {
		close_it(fd);
		return error;
	}
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
		error = keep ? copy(fd, deadline) : 0;
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
