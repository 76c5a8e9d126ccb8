/* SPDX-License-Identifier: MIT */
/* proc_file.c (SAFE) - reads a file of /proc/self, byte by byte, if it is the kernel's.
 *
 * Somebody who has made the root directory, or has mounted something at /proc, can put
 * a pipe, a device, an endless file or a link to somebody's secrets there.  So opening
 * it does not wait, and only what the kernel itself has written is read.
 */
#include "core/os/proc_file.h"

#include <errno.h>
#include <sys/vfs.h>

#include "core/os/clock.h"
#include "core/os/file.h"

/* Where the kernel does not say, reading does not block all the same. */
static bool is_regular(int fd)
{
	struct stat status;

	return wcm__fstat(fd, &status) < 0 || S_ISREG(status.st_mode);
}

/* The same of a file system, where a filter may forbid to ask. */
static bool is_of_kernel(int fd)
{
	enum { PROC = 0x9fa0, SYSFS = 0x62656572 }; /* linux/magic.h */
	const long system = wcm__file_system(fd);

	return system < 0 || system == PROC || system == SYSFS;
}

int wcm__proc_open_regular(const char *path)
{
	const int fd = wcm__open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || (is_regular(fd) && is_of_kernel(fd)))
		return fd;
	wcm__close(fd);
	return -EINVAL;
}

void wcm__proc_close(struct wcm_proc_file *file)
{
	wcm__close(file->fd);
}

bool wcm__proc_fill(struct wcm_proc_file *file)
{
	long size;

	/* What fits into the buffer is to be had at any time. */
	if (file->size > 0)
		file->is_late = wcm__clock_ns() >= file->deadline;
	if (file->is_late)
		return false;
	do
		size = wcm__read(file->fd, file->buffer, sizeof(file->buffer));
	while (size == -EINTR);
	file->at = 0;
	file->size = size > 0 ? (size_t)size : 0;
	return size > 0;
}

static bool open_filled(struct wcm_proc_file *file, const char *path)
{
	file->at = file->size = 0;
	file->fd = wcm__proc_open_regular(path);
	if (file->fd < 0)
		return false;
	if (wcm__proc_fill(file))
		return true;
	wcm__proc_close(file);
	return false;
}

bool wcm__proc_open(struct wcm_proc_file *file, uint64_t deadline,
		    const char *of_process, const char *of_thread)
{
	file->deadline = deadline;
	file->is_late = false;
	return open_filled(file, of_process) || open_filled(file, of_thread);
}
