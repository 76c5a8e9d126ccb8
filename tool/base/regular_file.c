/* SPDX-License-Identifier: MIT */
/* regular_file.c - opens a file that is to be a regular one, as the library does. */
#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/regular.h"

int regular_open(const char *path, uint64_t *size)
{
	const int fd = wcm__regular_open(path, size);

	errno = fd < 0 ? -fd : errno;
	return fd < 0 ? -1 : fd;
}

int regular_open_part(const char *path, uint64_t *size)
{
	const int seen = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat found;
	char name[32];
	int fd = -1, error;

	if (seen < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", seen);
	if (fstat(seen, &found) == 0 && S_ISLNK(found.st_mode))
		errno = ELOOP;
	else
		fd = regular_open(name, size);
	error = errno;
	close(seen);
	errno = error;
	return fd;
}

static FILE *stream_of(int fd)
{
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

FILE *regular_stream(const char *path)
{
	return stream_of(regular_open(path, NULL));
}

FILE *regular_stream_part(const char *path)
{
	return stream_of(regular_open_part(path, NULL));
}

const char *regular_error(int error)
{
	return error == EINVAL ? "it is no regular file" :
	       error == ELOOP  ? "it is a link" : strerror(error);
}
