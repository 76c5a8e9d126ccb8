/* SPDX-License-Identifier: MIT */
/* regular.c - opens a file only if it is a regular one. */
#include "format/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "format/digits.h"
#include "syscall.h"

static int open_it(const char *path, int flags)
{
	return (int)wcm__syscall(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0, 0,
				 0);
}

/* 0 where FD is a regular file, of *SIZE bytes; else a negated errno. */
static int check(int fd, uint64_t *size)
{
	struct stat status;
	long error = fd;

	if (fd >= 0)
		error = wcm__syscall(SYS_fstat, fd, (long)&status, 0, 0, 0, 0);
	if (error < 0)
		return (int)error;
	if (size)
		*size = (uint64_t)status.st_size;
	return S_ISREG(status.st_mode) ? 0 : -EINVAL;
}

/* Open what SEEN is, which was found at PATH, whatever is there by now: by the name that
 * it has in /proc, or, where that is not there, by PATH. */
static int open_seen(int seen, const char *path)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY };
	char name[32] = "/proc/self/fd/";
	const size_t used = strlen(name);
	int fd;

	name[used + wcm__format_decimal(name + used, (unsigned)seen)] = '\0';
	fd = open_it(name, FLAGS);
	return fd == -ENOENT ? open_it(path, FLAGS) : fd;
}

int wcm__regular_open(const char *path, uint64_t *size)
{
	/* This opens no device. */
	const int seen = open_it(path, O_PATH);
	int fd = -1, error = check(seen, size);

	if (error == 0) {
		fd = open_seen(seen, path);
		error = check(fd, size);
	}
	if (seen >= 0)
		wcm__syscall(SYS_close, seen, 0, 0, 0, 0, 0);
	if (error < 0 && fd >= 0)
		wcm__syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	return error < 0 ? error : fd;
}
