/* SPDX-License-Identifier: MIT */
/* regular_file.c - opens a file that is to be a regular one, as the library does. */
#include "base/regular_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/regular.h"

int regular_open(const char *path, uint64_t *size)
{
	const int fd = wcm__regular_open(path, size);

	errno = fd < 0 ? -fd : errno;
	return fd < 0 ? -1 : fd;
}

FILE *regular_stream(const char *path)
{
	const int fd = regular_open(path, NULL);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

const char *regular_error(int error)
{
	return error == EINVAL ? "it is no regular file" : strerror(error);
}
