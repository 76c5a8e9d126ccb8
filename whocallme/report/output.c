/* SPDX-License-Identifier: MIT */
/* output.c - bytes to a descriptor, whatever the descriptor does.
 *
 * A report must come out of a process in any state, so the writes are raw.  That
 * of a crash must not hang where its reader is stuck, so it asks first whether a
 * descriptor would block; what a living program writes waits for its reader as
 * its own output does.
 */
#include "report/output.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <time.h>

#include "syscall.h"

static bool wait_writable(int fd)
{
	struct pollfd poll = { .fd = fd, .events = POLLOUT };
	struct timespec second = { .tv_sec = 1 };

	return wcm__syscall(SYS_ppoll, (long)&poll, 1, (long)&second, 0, 0, 0) >
		       0 &&
	       (poll.revents & POLLOUT);
}

static __thread enum { PATIENT, BOUNDED, GIVEN_UP } patience
	__attribute__((tls_model("initial-exec")));

void wcm__output_bound(bool bounded)
{
	patience = bounded ? BOUNDED : PATIENT;
}

static bool may_write(int fd)
{
	if (patience == BOUNDED && !wait_writable(fd))
		patience = GIVEN_UP;
	return patience != GIVEN_UP;
}

/* Drop the first WRITTEN bytes; returns how many parts are left. */
static int advance(struct iovec **parts, int count, size_t written)
{
	while (count > 0 && written >= (*parts)->iov_len) {
		written -= (*parts)->iov_len;
		++*parts;
		count--;
	}
	if (count > 0) {
		(*parts)->iov_base = (char *)(*parts)->iov_base + written;
		(*parts)->iov_len -= written;
	}
	return count;
}

bool wcm__output_write(int fd, struct iovec *parts, int count)
{
	count = advance(&parts, count, 0);
	while (count > 0 && may_write(fd)) {
		long written = wcm__syscall(SYS_writev, fd, (long)parts, count,
					    0, 0, 0);

		if (written == -EINTR)
			continue;
		if (written == -EAGAIN && wait_writable(fd))
			continue;
		if (written <= 0)
			return false;
		count = advance(&parts, count, (size_t)written);
	}
	return count == 0;
}
