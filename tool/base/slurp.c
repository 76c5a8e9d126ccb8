/* SPDX-License-Identifier: MIT */
/* slurp.c - reads a small file as one string. */
#include "base/slurp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/regular_file.h"

enum { FIRST = 1 << 16, MOST = 1 << 30 };

/* All that FD has, up to the first zero byte: what is behind, as in a hole that takes no
 * room of the disk, is no text. */
static char *read_all(int fd)
{
	size_t length = 0, size = FIRST;
	char *text = malloc(size + 1), *more;
	ssize_t got;

	while (text && (got = read(fd, text + length, size - length + 1)) != 0) {
		if (got > 0 && memchr(text + length, '\0', (size_t)got))
			return text;
		length += got > 0 ? (size_t)got : 0;
		if (got > 0 && length <= size)
			continue;
		size *= 2;
		more = got > 0 && size <= MOST ? realloc(text, size + 1) : NULL;
		if (!more)
			free(text);
		text = more;
	}
	if (text)
		text[length] = '\0';
	return text;
}

/* All of FD, SIZE bytes as far as is known; it is closed. */
static char *take_all(int fd, uint64_t size)
{
	char *text = NULL;

	errno = EFBIG;
	if (size < MOST / 2)
		text = read_all(fd);
	close(fd);
	return text;
}

char *slurp(const char *dir, const char *name)
{
	char *path = NULL;
	uint64_t size;
	int fd;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return NULL;
	fd = regular_open_part(path, &size);
	free(path);
	return fd < 0 ? NULL : take_all(fd, size);
}

char *slurp_file(const char *path)
{
	uint64_t size;
	const int fd = regular_open(path, &size);

	return fd < 0 ? NULL : take_all(fd, size);
}

char *slurp_input(const char *path, const char **why)
{
	const int fd = input_open(path, why);
	struct stat status;
	char *text;

	if (fd < 0)
		return NULL;
	text = take_all(fd, fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
				    ? (uint64_t)status.st_size
				    : 0);
	*why = text ? NULL : strerror(errno);
	return text;
}
