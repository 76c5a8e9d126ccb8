/* SPDX-License-Identifier: MIT */
/* solid.c - checks that a file has the bytes that it claims to have. */
#include "load/objects/solid.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/regular.h"
#include "format/written.h"

enum { LARGEST = 1 << 30 };

size_t wcm__solid_read(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	if (size > LARGEST || offset > INT64_MAX - (uint64_t)size ||
	    !wcm__is_written(fd, offset, size))
		return 0;
	while (done < size) {
		ssize_t count = pread(fd, (char *)to + done, size - done,
				      (off_t)(offset + done));

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			break;
		done += (size_t)count;
	}
	return done;
}

bool wcm__solid_file(const char *path)
{
	uint64_t size;
	const int fd = wcm__regular_open(path, &size);
	bool can;

	if (fd < 0)
		return fd != -EINVAL;
	can = wcm__is_written(fd, 0, size);
	close(fd);
	return can;
}
