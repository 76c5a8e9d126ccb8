/* SPDX-License-Identifier: MIT */
/* slurp.c - a small file as one string. */
#include "slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1 << 30 };

/* FD's SIZE bytes; it may have become shorter meanwhile. */
static char *read_all(int fd, size_t size)
{
	char *text = malloc(size + 1);
	size_t length = 0;

	while (text && length < size) {
		ssize_t got = read(fd, text + length, size - length);

		if (got < 0) {
			free(text);
			return NULL;
		}
		if (got == 0)
			break;
		length += (size_t)got;
	}
	if (text)
		text[length] = '\0';
	return text;
}

char *slurp(const char *dir, const char *name)
{
	struct stat status;
	char *path = NULL, *text = NULL;
	int fd;

	if (asprintf(&path, "%s%s%s", dir ? dir : "", dir ? "/" : "", name) < 0)
		return NULL;
	/* A pipe must not make us wait for a writer. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(path);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0) {
		errno = EFBIG;
		if (S_ISREG(status.st_mode) && status.st_size <= MOST)
			text = read_all(fd, (size_t)status.st_size);
	}
	close(fd);
	return text;
}
