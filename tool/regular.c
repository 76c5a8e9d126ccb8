/* SPDX-License-Identifier: MIT */
/* regular.c - how is a file opened that is to be a regular one? */
#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int regular_open(const char *path, uint64_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	int error = EINVAL;

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) != 0)
		error = errno;
	else if (S_ISREG(status.st_mode))
		error = 0;
	if (error) {
		close(fd);
		errno = error;
		return -1;
	}
	if (size)
		*size = (uint64_t)status.st_size;
	return fd;
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
