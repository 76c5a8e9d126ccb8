/* SPDX-License-Identifier: MIT */
/* inject_put.c - writes a line, whatever the descriptor does.
 *
 * The program goes on as if nothing had been written: no signal comes of it, and where the line
 * cannot be written, it is not.  A pipe or socket is written to with SIGPIPE blocked.  A regular
 * file brings SIGXFSZ about where it may grow no more; that cannot be where there is no limit,
 * which is looked at each time, because a program may set one, and that takes half the time of
 * blocking the signal.
 */
#include "inject_runtime.h"

#include "core/os/mask.h"
#include "core/os/process.h"
#include "core/os/socket.h"

/* Drop the first WRITTEN bytes; returns how many parts are left. */
static inline int drop_written(struct iovec **parts, int count, size_t written)
{
	for (; count > 0 && written >= (*parts)->iov_len; count--)
		written -= (*parts)++->iov_len;
	if (count > 0) {
		(*parts)->iov_base = (char *)(*parts)->iov_base + written;
		(*parts)->iov_len -= written;
	}
	return count;
}

/* After a write that did not wait: whether to try again.  A reader that takes nothing is waited
 * for, a second at most. */
static bool INJECT_PLAIN may_retry(int fd, unsigned *tries)
{
	enum { MOST_TRIES = 1000 };
	const int found = wcm__poll(fd, POLLOUT, 1000000000u);

	return found != 0 && (found > 0 || found == -EINTR) && ++*tries < MOST_TRIES;
}

/* 0, or a negated errno; *BEGUN: something of it has been written. */
static inline long put(int fd, struct iovec *parts, int count, bool *begun)
{
	unsigned tries = 0;
	long written;

	*begun = false;
	for (;;) {
		written = wcm__writev(fd, parts, count);
		if (written == -EINTR || (written == -EAGAIN && may_retry(fd, &tries)))
			continue;
		if (written <= 0)
			return written < 0 ? written : -EIO;
		count = drop_written(&parts, count, (size_t)written);
		if (count == 0)
			return 0;
		*begun = true;
	}
}

/* The same with the signals blocked that come of it, and taken when they have come. */
static long INJECT_PLAIN put_quietly(int fd, struct iovec *parts, int count, bool *begun)
{
	const uint64_t before = wcm__mask_add(WCM_MASK_WRITING);
	const uint64_t pending = wcm__mask_pending();
	const long error = put(fd, parts, count, begun);

	if (error)
		wcm__mask_forget(WCM_MASK_WRITING & ~pending);
	wcm__mask_set(before);
	return error;
}

enum inject_done wcm__inject_put(inject_place place, struct iovec *parts, int count)
{
	const int fd = inject_descriptor(place);
	bool begun;
	long error;

	if (inject_is_regular(place) && wcm__file_size_limit() == RLIM_INFINITY)
		error = put(fd, parts, count, &begun);
	else
		error = put_quietly(fd, parts, count, &begun);
	if (!error)
		return INJECT_WHOLE;
	return begun ? INJECT_CUT : INJECT_NOTHING;
}
