/* SPDX-License-Identifier: MIT */
/* regular.c (SAFE) - opens a file only if it is a regular one, and not the kernel's. */
#include "format/regular.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/os/file.h"
#include "format/words.h"

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

/* The same; where OWNER is not NULL, *OWNER's, with one name, and written by no other. */
static int check(int fd, const unsigned *owner, uint64_t *size)
{
	const int error = wcm__regular_check(fd, size);
	struct stat status;

	if (error < 0 || !owner)
		return error;
	if (wcm__fstat(fd, &status) != 0 || status.st_uid != *owner || status.st_nlink != 1 ||
	    (status.st_mode & S_IWOTH))
		return -EPERM;
	return 0;
}

/* Open what SEEN is, which was found at PATH, whatever is there by now: by the name that
 * it has in /proc, or, where that is not there, by PATH. */
static int open_seen(int seen, const char *path, int links)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
	char name[32];
	int fd;

	wcm__format_numbered(name, sizeof(name), "/proc/self/fd/", seen, "");
	fd = wcm__open(name, FLAGS);
	return fd == -ENOENT ? wcm__open(path, FLAGS | links) : fd;
}

static int open_checked(const char *path, int links, const unsigned *owner, uint64_t *size)
{
	/* This opens no device. */
	const int seen = wcm__open(path, O_PATH | O_CLOEXEC | links);
	int fd = -1, error = check(seen, owner, size);

	if (error == 0) {
		fd = open_seen(seen, path, links);
		error = check(fd, owner, size);
	}
	if (seen >= 0)
		wcm__close(seen);
	if (error < 0 && fd >= 0)
		wcm__close(fd);
	return error < 0 ? error : fd;
}

int wcm__regular_open(const char *path, uint64_t *size)
{
	return open_checked(path, 0, NULL, size);
}

int wcm__regular_open_own(const char *path, unsigned owner)
{
	return open_checked(path, O_NOFOLLOW, &owner, NULL);
}
