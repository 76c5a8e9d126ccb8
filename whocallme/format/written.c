/* SPDX-License-Identifier: MIT */
/* written.c (SAFE) - tells whether a part of a file costs its maker something, too. */
#include "format/written.h"

#include <errno.h>
#include <unistd.h>

#include "core/os/file.h"

/* Where a file system knows no holes all is written. */
bool wcm__is_written(int fd, uint64_t offset, uint64_t size)
{
	enum { SMALL = 64 << 10, CLAIMED = 16 };
	const uint64_t end = size <= INT64_MAX - offset ? offset + size : INT64_MAX;
	uint64_t at = offset, written = 0;

	while (size > SMALL && (size - SMALL) / CLAIMED > written) {
		const int64_t start = wcm__lseek(fd, (int64_t)at, SEEK_DATA);
		const int64_t hole = start >= 0 ? wcm__lseek(fd, start, SEEK_HOLE) : start;

		if (hole < 0) /* there is no more data, or no telling */
			return hole != -ENXIO;
		if ((uint64_t)start >= end)
			return false;
		at = (uint64_t)hole;
		written += (at < end ? at : end) - (uint64_t)start;
	}
	return true;
}
