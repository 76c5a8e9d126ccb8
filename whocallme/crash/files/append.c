/* SPDX-License-Identifier: MIT */
/* append.c (SAFE) - appends the reports of many processes to one file, each in one piece.
 *
 * A report is written in parts and may take seconds.  So it is gathered in a file in
 * memory (memfd), and the lock that keeps others out is held only while that is copied,
 * by one system call.  Where there is no memfd, the lock is held from the start.
 */
#include "crash/files/append.h"

#include <errno.h>

#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/memory.h"
#include "core/os/output.h"
#include "crash/files/file_lock.h"
#include "format/path.h"

/* The file, -1: none is open; and its size when the lock was taken, -1: it is not. */
static int target = -1;
static int64_t start = -1;

/* The one in memory; -1: there is none, or it is being copied. */
static int gathered = -1;

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
		wcm__pread(target, &last, 1, (uint64_t)size - 1);
	return last != '\n';
}

static int64_t size_of(int fd)
{
	return wcm__lseek(fd, 0, SEEK_END);
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

	while ((count = wcm__pread(from, bytes, sizeof(bytes), (uint64_t)at)) > 0) {
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
	bytes = wcm__mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, from, 0);
	if (bytes && !wcm__is_error(bytes)) {
		is_copied = copy_at_once((const char *)bytes, size);
		wcm__unmap((const void *)bytes, (size_t)size);
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
		wcm__ftruncate(target, (uint64_t)start);
	wcm__file_unlock(target);
	wcm__close(target);
	target = -1;
	start = -1;
}

int wcm__append_open(int fd, uint64_t deadline)
{
	int error = wcm__path_check_own(fd);

	if (error < 0) {
		wcm__close(fd);
		return error;
	}
	target = fd;
	fd = wcm__memfd_create("whocallme", MFD_CLOEXEC);
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
		wcm__close(fd);
	}
	end(keep && error == 0);
	return error;
}

void wcm__append_rescue(uint64_t deadline)
{
	if (gathered >= 0)
		wcm__append_close(gathered, true, deadline);
}
