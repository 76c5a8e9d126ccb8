/* SPDX-License-Identifier: MIT */
/* solid.c - checks that a file has the bytes that it claims to have.
 *
 * A sparse file may be of any size at no cost to its maker, and reads as zeros, at full
 * cost to its reader.  An object file's tables are written, so that a hole in one
 * shows a forged file.  Sections that a program maps may have holes; nothing here
 * reads those.
 */
#include "load/objects/solid.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/regular.h"

/* What is smaller costs nobody anything. */
enum { SMALL = 64 << 10, LARGEST = 1 << 30 };

/* Where a file system knows no holes there are none. */
static bool has_hole(int fd, uint64_t offset, size_t size)
{
	const off_t hole = lseek(fd, (off_t)offset, SEEK_HOLE);

	return hole >= 0 && (uint64_t)hole - offset < (uint64_t)size;
}

size_t wcm__solid_read(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	if (size > LARGEST || offset > INT64_MAX - (uint64_t)size ||
	    (size > SMALL && has_hole(fd, offset, size)))
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

uint64_t wcm__solid_size(int fd, uint64_t size)
{
	enum { CLAIMED = 16 }; /* padding makes holes of pages, between sections */
	uint64_t data = 0;
	off_t end = 0;

	while (size / CLAIMED > data + SMALL) {
		const off_t start = lseek(fd, end, SEEK_DATA);

		end = start >= 0 ? lseek(fd, start, SEEK_HOLE) : -1;
		if (end < 0) /* there is no more data, or no telling */
			return errno == ENXIO ? CLAIMED * (data + SMALL) : size;
		data += (uint64_t)(end - start);
	}
	return size;
}

bool wcm__solid_file(const char *path)
{
	uint64_t size;
	const int fd = wcm__regular_open(path, &size);
	bool can;

	if (fd < 0)
		return fd != -EINVAL;
	can = wcm__solid_size(fd, size) == size;
	close(fd);
	return can;
}
