/* SPDX-License-Identifier: MIT */
/* output.c (SAFE) - writes bytes to a descriptor, whatever the descriptor does.
 *
 * A report must come out of a process in any state, so the writes are raw.  That
 * of a crash must not hang where its reader is stuck, so it asks first whether a
 * descriptor would block; what a running program writes waits for its reader as
 * its own output does.
 */
#include "core/os/output.h"

#include <errno.h>
#include <stddef.h>

#include "core/os/file.h"
#include "core/os/mask.h"
#include "core/os/socket.h"

enum readiness { STUCK, READY, UNKNOWN };

/* Wait a second at most.  UNKNOWN where the kernel does not say: a filter forbids the
 * question, or no file may be open any more. */
static enum readiness wait_writable(int fd)
{
	const int found = wcm__poll(fd, POLLOUT, 1000000000u);

	if (found < 0)
		return UNKNOWN;
	return found & POLLOUT ? READY : STUCK;
}

static __thread enum { PATIENT, BOUNDED, GIVEN_UP } patience
	__attribute__((tls_model("initial-exec")));

void wcm__output_bound(bool bounded)
{
	patience = bounded ? BOUNDED : PATIENT;
}

static bool may_write(int fd)
{
	if (patience == BOUNDED && wait_writable(fd) == STUCK)
		patience = GIVEN_UP;
	return patience != GIVEN_UP;
}

/* After a write that would have blocked: whether to try again.  Of NAPS, the tries
 * that were made blindly since something was taken, there are a second's. */
static bool may_retry(int fd, unsigned *naps)
{
	enum { MOST_NAPS = 1000 };
	const enum readiness readiness = wait_writable(fd);

	if (readiness != UNKNOWN)
		return readiness == READY;
	wcm__nanosleep(1000000);
	return ++*naps < MOST_NAPS;
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

/* A seccomp filter may know the plain call alone. */
static long put_some(int fd, const struct iovec *parts, int count)
{
	long written = wcm__writev(fd, parts, count);

	if (written <= 0 && written != -EAGAIN && written != -EINTR)
		written = wcm__write(fd, parts->iov_base, parts->iov_len);
	return written;
}

static int put(int fd, struct iovec *parts, int count)
{
	unsigned naps = 0;

	count = advance(&parts, count, 0);
	while (count > 0 && may_write(fd)) {
		long written = put_some(fd, parts, count);

		if (written == -EINTR)
			continue;
		if (written == -EAGAIN && may_retry(fd, &naps))
			continue;
		if (written <= 0)
			return written < 0 ? (int)written : -EIO;
		count = advance(&parts, count, (size_t)written);
		naps = 0;
	}
	return count == 0 ? 0 : -EAGAIN;
}

/* A reader that has gone, or a file that may not grow, is an error of ours, and no signal to the
 * program. */
int wcm__output_put(int fd, struct iovec *parts, int count)
{
	const struct wcm_unheard unheard = wcm__mask_hush();
	const int result = put(fd, parts, count);

	wcm__mask_hear(unheard, result < 0);
	return result;
}

bool wcm__output_write(int fd, struct iovec *parts, int count)
{
	return wcm__output_put(fd, parts, count) == 0;
}

int wcm__output_away(int fd)
{
	static const int lowest[] = { 1000, 200, 20, 3 };
	int moved = -EMFILE;

	for (size_t i = 0; i < sizeof(lowest) / sizeof(*lowest) && moved < 0; i++)
		moved = wcm__fcntl(fd, F_DUPFD_CLOEXEC, lowest[i]);
	return moved;
}
