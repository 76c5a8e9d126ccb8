/* SPDX-License-Identifier: MIT */
/* worded_sockets.c - calls of sockets, and those that wait. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>

#include <linux/netlink.h>

#include "worded_calls.h"

/* Some CPUs have no such calls. */
static void old_waiting(struct pollfd polled[2])
{
#ifdef SYS_poll
	struct timeval soon = { 1, 500 };
	fd_set in, out;

	CALL(poll, polled, 2, 1000);
	CALL(poll, polled, 0, 0);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(polled[0].fd, &in);
	FD_SET(polled[1].fd, &out);
	CALL(select, polled[1].fd + 1, &in, &out, NULL, &soon);
#else
	(void)polled;
#endif
}

static void waiting(void)
{
	int pair[2], epoll;
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data = { .u64 = 77 } };
	struct timespec none = { 0, 0 };
	struct pollfd polled[2] = { { .events = POLLIN }, { .events = POLLOUT | POLLIN } };
	fd_set in, out;

	CALL(pipe2, pair, 0);
	polled[0].fd = pair[0];
	polled[1].fd = pair[1];
	CALL(ppoll, polled, 1, &none, NULL, 8);
	CALL(ppoll, polled, 2, &none, NULL, 8);
	CALL(ppoll, NULL, 0, &none, NULL, 8);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(pair[0], &in);
	FD_SET(pair[1], &out);
	CALL(pselect6, pair[1] + 1, &in, &out, NULL, &none, NULL);
	CALL(pselect6, pair[1] + 1, &in, NULL, NULL, &none, NULL);
	CALL(write, pair[1], "x", 1);
	old_waiting(polled);
	epoll = (int)CALL(epoll_create1, EPOLL_CLOEXEC);
	CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, pair[0], &event);
	CALL(epoll_pwait, epoll, polled, 0, 0, NULL, 8);
	CALL(epoll_pwait, epoll, buffer, 10, 1000, NULL, 8);
	CALL(epoll_ctl, epoll, EPOLL_CTL_DEL, pair[0], NULL);
#ifdef SYS_epoll_wait
	CALL(epoll_wait, epoll, buffer, 10, 0);
#endif
	CALL(eventfd2, 7, EFD_CLOEXEC | EFD_NONBLOCK);
}

static void addresses(void)
{
	struct sockaddr_in inet = { .sin_family = AF_INET, .sin_addr = { htonl(0x7f000001) } };
	struct sockaddr_in6 inet6 = { .sin6_family = AF_INET6, .sin6_port = htons(53) };
	struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "socket" };
	struct sockaddr_nl netlink = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	const struct sockaddr other = { .sa_family = AF_UNSPEC };
	socklen_t size = sizeof(inet);
	long fd = CALL(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP), client;
	const int one = 1;

	CALL(setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	CALL(setsockopt, fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	CALL(setsockopt, fd, IPPROTO_IP, IP_TTL, &one, sizeof(one));
	CALL(getsockopt, fd, SOL_SOCKET, SO_ERROR, buffer, &size);
	size = sizeof(inet);
	CALL(bind, fd, &inet, sizeof(inet));
	CALL(listen, fd, 128);
	CALL(getsockname, fd, &inet, &size);
	client = CALL(socket, AF_INET, SOCK_STREAM, IPPROTO_IP);
	CALL(connect, client, &inet, sizeof(inet));
	size = sizeof(inet);
	CALL(accept4, fd, &inet, &size, SOCK_CLOEXEC);
	CALL(getpeername, client, &inet, &size);
	CALL(accept4, client, NULL, NULL, 0);
	CALL(shutdown, client, SHUT_RDWR);
	inet6.sin6_addr.s6_addr[0] = 0x20;
	inet6.sin6_addr.s6_addr[15] = 1;
	CALL(bind, client, &inet6, sizeof(inet6));
	CALL(bind, client, &netlink, sizeof(netlink));
	CALL(bind, client, &local, sizeof(local));
	CALL(connect, client, &other, sizeof(other));
	CALL(connect, client, 8, 16);
	fd = CALL(socket, AF_UNIX, SOCK_DGRAM, 0);
	CALL(bind, fd, &local, sizeof(local));
	memcpy(local.sun_path, "\0abstract", 9);
	CALL(connect, fd, &local, (long)offsetof(struct sockaddr_un, sun_path) + 9);
	CALL(socket, AF_INET6, SOCK_DGRAM, IPPROTO_UDP);
	CALL(socket, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
}

static void messages(void)
{
	struct iovec parts[2] = { { (void *)"one", 3 }, { (void *)"two", 3 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	char data[100];
	struct iovec rooms = { data, sizeof(data) };
	struct msghdr received = { .msg_iov = &rooms, .msg_iovlen = 1 };
	struct mmsghdr many[2] = { { .msg_hdr = message }, { .msg_hdr = message } };
	struct mmsghdr one = { .msg_hdr = received };
	socklen_t size = sizeof(int);
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = "" };
	int pair[2];

	CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
	CALL(sendto, pair[0], "a\0b", 3, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
	CALL(recvfrom, pair[1], buffer, sizeof(buffer), MSG_PEEK, NULL, NULL);
	CALL(recvfrom, pair[1], buffer, sizeof(buffer), 0, NULL, NULL);
	CALL(recvfrom, pair[1], buffer, sizeof(buffer), MSG_DONTWAIT, NULL, NULL);
	CALL(sendmsg, pair[0], &message, MSG_NOSIGNAL);
	CALL(recvmsg, pair[1], &received, 0);
	CALL(recvmsg, pair[1], &received, MSG_DONTWAIT);
	CALL(sendmsg, pair[0], NULL, 0);
	message.msg_control = control.room;
	message.msg_controllen = CMSG_LEN(sizeof(int));
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	CALL(sendmsg, pair[0], &message, 0);
	CALL(sendmmsg, pair[0], many, 2, MSG_NOSIGNAL);
	CALL(recvmmsg, pair[1], &one, 1, MSG_DONTWAIT, NULL);
	CALL(setsockopt, pair[0], SOL_SOCKET, SO_BINDTODEVICE, "lo", 2);
	CALL(getsockopt, pair[0], SOL_SOCKET, SO_TYPE, buffer, &size);
	CALL(getsockopt, pair[0], SOL_SOCKET, 9999, buffer, &size);
}

void calls_of_sockets(void)
{
	waiting();
	addresses();
	messages();
}
