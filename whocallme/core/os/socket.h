/* SPDX-License-Identifier: MIT */
/* socket.h (SAFE) - sockets, and waiting for descriptors.  See kernel.h for where it may be
 * called. */
#ifndef WCM_OS_SOCKET_H
#define WCM_OS_SOCKET_H

#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>

#include "core/os/clock.h"

static inline int wcm__socketpair(int domain, int type, int ends[2])
{
	return (int)WCM_SYSCALL(SYS_socketpair, domain, type, 0, ends);
}

static inline int wcm__setsockopt(int fd, int level, int option, int value)
{
	return (int)WCM_SYSCALL(SYS_setsockopt, fd, level, option, &value, sizeof(value));
}

static inline long wcm__recv(int fd, void *to, size_t size, int flags)
{
	return WCM_SYSCALL(SYS_recvfrom, fd, to, size, flags);
}

static inline long wcm__send(int fd, const void *from, size_t size, int flags)
{
	return WCM_SYSCALL(SYS_sendto, fd, from, size, flags);
}

static inline int wcm__shutdown(int fd, int how)
{
	return (int)WCM_SYSCALL(SYS_shutdown, fd, how);
}

/* As ppoll(2), NS at most; returns how many have events, or a negated errno. */
static inline int wcm__poll_all(struct pollfd *polls, unsigned count, uint64_t ns)
{
	struct wcm_kernel_time time = wcm__kernel_time(ns);

	return (int)WCM_SYSCALL(SYS_ppoll, polls, count, &time);
}

/* Wait for EVENTS of FD, NS at most; returns those that have come, 0 or a negated errno. */
static inline int wcm__poll(int fd, short events, uint64_t ns)
{
	struct wcm_kernel_time time = wcm__kernel_time(ns);
	struct pollfd poll = { .fd = fd, .events = events };
	const long found = WCM_SYSCALL(SYS_ppoll, &poll, 1, &time);

	return found > 0 ? poll.revents : (int)found;
}

#endif
