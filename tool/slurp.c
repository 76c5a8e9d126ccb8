/* SPDX-License-Identifier: MIT */
/* slurp.c - a small file as one string. */
#include "slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "regular.h"

enum { MOST = 1 << 30 };

/* All that FD has, SIZE bytes as far as is known. */
static char *read_all(int fd, size_t size)
{
	char *text = malloc(size + 1), *more;
	size_t length = 0;
	ssize_t got;

	while (text && (got = read(fd, text + length, size - length + 1)) != 0) {
		length += got > 0 ? (size_t)got : 0;
		if (got > 0 && length <= size)
			continue;
		size = 2 * size + 4096;
		more = got > 0 && size <= MOST ? realloc(text, size + 1) : NULL;
		if (!more)
			free(text);
		text = more;
	}
	if (text)
		text[length] = '\0';
	return text;
}

char *slurp(const char *dir, const char *name)
{
	char *path = NULL, *text = NULL;
	uint64_t size = 4096;
	int fd;

	if (asprintf(&path, "%s%s%s", dir ? dir : "", dir ? "/" : "", name) < 0)
		return NULL;
	fd = regular_open(path, &size);
	if (fd < 0 && errno == EINVAL && !dir)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return NULL;
	errno = EFBIG;
	if (size < MOST / 2)
		text = read_all(fd, (size_t)size);
	close(fd);
	return text;
}
