/* SPDX-License-Identifier: MIT */
/* client.c - identifies the program that asks, and ends when it has fewer rights than at
 * the start.
 *
 * A program that was started as root and has become another user, or has entered a
 * sandbox, may be in the hands of whoever talks to it.  What answers it, and reads files
 * of whatever name for it, was started before.  With each request the kernel says whose
 * process has sent it; /proc knows the rest.
 */
#include "resolve/client.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/exit_status.h"

/* What /proc/PID/status says of a process. */
struct status {
	char text[32768]; /* its first bytes */
};

/* Read the status that is open as FD; false where it cannot be. */
static bool read_status(int fd, struct status *status)
{
	ssize_t size = pread(fd, status->text, sizeof(status->text) - 1, 0);

	status->text[size > 0 ? size : 0] = '\0';
	return size > 0;
}

/* What follows NAME, a line's first word; an empty line where there is none. */
static const char *field(const struct status *status, const char *name)
{
	const char *at = strstr(status->text, name);

	return at ? at + strlen(name) : "\n";
}

static bool is_same(const struct status *one, const struct status *other, const char *name)
{
	const char *first = field(one, name), *second = field(other, name);
	const size_t length = strcspn(first, "\n");

	return length == strcspn(second, "\n") && memcmp(first, second, length) == 0;
}

static unsigned long long number(const struct status *status, const char *name, int base)
{
	return strtoull(field(status, name), NULL, base);
}

/* Whether a process may do what another one may.  One that may choose its groups can have
 * those that it has not. */
static bool has_rights(const struct status *its, const struct status *others)
{
	static const char groups[] = "\nGroups:", permitted[] = "\nCapPrm:",
			  seccomp[] = "\nSeccomp:", filters[] = "\nSeccomp_filters:";
	enum { CHOOSES_GROUPS = 1 << 6 /* CAP_SETGID */ };
	const unsigned long long capabilities = number(its, permitted, 16);

	return (number(others, permitted, 16) & ~capabilities) == 0 &&
	       number(its, seccomp, 10) <= number(others, seccomp, 10) &&
	       number(its, filters, 10) <= number(others, filters, 10) &&
	       (capabilities & CHOOSES_GROUPS || is_same(its, others, groups));
}

/* Whether the process CLIENT may do what this one may, as far as /proc says. */
static bool has_our_rights(long client)
{
	static struct status ours, its;
	static int fd = -1;
	char name[64];
	int own;

	if (fd < 0) {
		snprintf(name, sizeof(name), "/proc/%ld/status", client);
		fd = open(name, O_RDONLY | O_CLOEXEC);
		own = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
		read_status(own, &ours);
		close(own);
	}
	return !*ours.text || !read_status(fd, &its) || has_rights(&its, &ours);
}

long client_id(void)
{
	struct ucred client;
	socklen_t size = sizeof(client);

	if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_PEERCRED, &client, &size) != 0 ||
	    client.pid < 0)
		return 0;
	return client.pid;
}

/* Whether the message HEAD was sent by CLIENT, as the user that this process is. */
static bool is_from(long client, struct msghdr *head)
{
	const struct cmsghdr *part = CMSG_FIRSTHDR(head);
	struct ucred sender;

	if (!part || part->cmsg_level != SOL_SOCKET ||
	    part->cmsg_type != SCM_CREDENTIALS)
		return false;
	memcpy(&sender, CMSG_DATA(part), sizeof(sender));
	return sender.pid == client && sender.uid == getuid() && sender.gid == getgid();
}

/* Whether whoever started this process has had the kernel say who sends. */
static bool is_told(int fd)
{
	socklen_t size = sizeof(int);
	int told = 0;

	return getsockopt(fd, SOL_SOCKET, SO_PASSCRED, &told, &size) == 0 && told;
}

ssize_t client_read(int fd, void *room, size_t size)
{
	_Alignas(struct cmsghdr) char parts[CMSG_SPACE(sizeof(struct ucred))];
	struct iovec bytes = { room, size };
	struct msghdr head = { .msg_iov = &bytes, .msg_iovlen = 1 };
	const long client = client_id();
	const bool told = client != 0 && is_told(fd);
	ssize_t count;

	if (client == 0)
		return read(fd, room, size);
	if (told) {
		head.msg_control = parts;
		head.msg_controllen = sizeof(parts);
	}
	count = recvmsg(fd, &head, MSG_CMSG_CLOEXEC);
	if (count > 0 && ((told && !is_from(client, &head)) || !has_our_rights(client)))
		_exit(EXIT_DONE);
	return count;
}
