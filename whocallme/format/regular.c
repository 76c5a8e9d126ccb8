/* SPDX-License-Identifier: MIT */
/* regular.c - opens a file only if it is a regular one, and not the kernel's. */
#include "format/regular.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/os/file.h"
#include "format/digits.h"

int wcm__regular_check(int fd, uint64_t *size)
{
	struct stat status;
	int error = fd;

	if (fd >= 0)
		error = wcm__fstat(fd, &status);
	if (error < 0)
		return error;
	if (size)
		*size = (uint64_t)status.st_size;
	return S_ISREG(status.st_mode) && !wcm__file_is_kernels(fd, &status) ? 0 : -EINVAL;
}

/* Open what SEEN is, which was found at PATH, whatever is there by now: by the name that
 * it has in /proc, or, where that is not there, by PATH. */
static int open_seen(int seen, const char *path)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
	char name[32] = "/proc/self/fd/";
	const size_t used = strlen(name);
	int fd;

	name[used + wcm__format_decimal(name + used, (unsigned)seen)] = '\0';
	fd = wcm__open(name, FLAGS);
	return fd == -ENOENT ? wcm__open(path, FLAGS) : fd;
}

int wcm__regular_open(const char *path, uint64_t *size)
{
	/* This opens no device. */
	const int seen = wcm__open(path, O_PATH | O_CLOEXEC);
	int fd = -1, error = wcm__regular_check(seen, size);

	if (error == 0) {
		fd = open_seen(seen, path);
		error = wcm__regular_check(fd, size);
	}
	if (seen >= 0)
		wcm__close(seen);
	if (error < 0 && fd >= 0)
		wcm__close(fd);
	return error < 0 ? error : fd;
}
