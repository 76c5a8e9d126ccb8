/* SPDX-License-Identifier: MIT */
/* serve.c - answers a program that asks for lines, by format/lines_protocol.h.
 *
 * The other end may be a process that has crashed: an answer has an end that it can
 * hold (WCM_ANSWER_SIZE), and goes out in one piece.
 */
#include "resolve/frame_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/lines_in.h"
#include "format/lines_protocol.h"

/* Identifies the program that asks, and ends when it has fewer rights than at
 * the start.
 *
 * A program that was started as root and has become another user, or has entered a
 * sandbox, may be in the hands of whoever talks to it.  What answers it, and reads files
 * of whatever name for it, was started before.  With each request the kernel says whose
 * process has sent it; /proc knows the rest. */

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

/* The id of the program at the other end of the socket stdin, 0 where that is none. */
static long client_id(void)
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

/* As read(2), which it is where FD is no socket of a program.  This process may have been
 * started while that program had more rights than it has now: then it ends here. */
static ssize_t client_read(int fd, void *room, size_t size)
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

/* Bytes.  Source text gives way first, then the outermost of a long chain. */
enum {
	MOST_WITH_SOURCE = 16384,
	MOST_ANSWER = WCM_ANSWER_SIZE - 4096,
	LONGEST_PART = 4096, /* of a name or a path, less where it is escaped */
};

#define UNKNOWN WCM_PROTOCOL_UNKNOWN "\n" WCM_PROTOCOL_UNKNOWN ":0:0\n"

static void write_location(const struct resolver *resolver, FILE *file,
			   const struct location *location)
{
	char *memory = NULL;

	escape_name(file,
		    location->function ? resolver_name(resolver, location->function, &memory)
				    : WCM_PROTOCOL_UNKNOWN,
		    LONGEST_PART);
	free(memory);
	fputc('\n', file);
	escape_name(file, location->file ? location->file : WCM_PROTOCOL_UNKNOWN, LONGEST_PART);
	fprintf(file, ":%u:%u\n", location->line, location->column);
	if (ftell(file) < MOST_WITH_SOURCE)
		print_source(file, location, resolver->around, resolver->colour);
}

static void write_answer(struct resolver *resolver, FILE *file, char *request)
{
	struct address address;
	const char *complaint;

	if (!address_parse(&address, request)) {
		fputs(UNKNOWN "\n", file);
		return;
	}
	complaint = resolver_find(resolver, &address);
	if (complaint) {
		fputs(WCM_PROTOCOL_COMPLAINT, file);
		escape_name(file, complaint, LONGEST_PART);
		fputc('\n', file);
	}
	for (size_t i = 0; i < resolver->locations.count && ftell(file) < MOST_ANSWER / 2;
	     i++)
		write_location(resolver, file, &resolver->locations.location[i]);
	if (resolver->locations.count == 0)
		fputs(UNKNOWN, file);
	fputc('\n', file);
}

static bool write_all(const char *text, size_t size)
{
	while (size > 0) {
		ssize_t count = write(STDOUT_FILENO, text, size);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return false;
		text += count;
		size -= (size_t)count;
	}
	return true;
}

/* 0, or the errno of what kept the answer from its reader. */
static int answer(struct resolver *resolver, char *request)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int error = 0;

	if (!file)
		return ENOMEM;
	write_answer(resolver, file, request);
	if (fclose(file) != 0 || !write_all(text, size))
		error = errno;
	free(text);
	return error;
}

static int converse(struct resolver *resolver, struct lines_in *lines)
{
	char nothing[] = "";
	char *request;
	size_t length;
	int error = 0;

	for (;;) {
		switch (lines_in_next(lines, -1, &request, &length)) {
		case LINES_IN_END:
			return lines->in_line ? answer(resolver, nothing)
					      : lines->error;
		case LINES_IN_PART:
			if (lines->in_line)
				continue;
			error = answer(resolver, nothing);
			break;
		default:
			request[strcspn(request, "\n")] = '\0';
			error = answer(resolver, request);
		}
		if (error != 0)
			return error;
	}
}

/* Nobody reads the answers any more: what is being looked for, perhaps at a server
 * that does not answer, is of no use. */
static void leave(int signal)
{
	struct pollfd reader = { .fd = STDOUT_FILENO };

	(void)signal;
	if (poll(&reader, 1, 0) == 1 && (reader.revents & (POLLERR | POLLHUP)))
		_exit(EXIT_DONE);
}

/* Have the kernel tell when the reader of a pipe or socket goes away. */
static void watch_reader(void)
{
	const struct sigaction action = { .sa_handler = leave, .sa_flags = SA_RESTART };
	struct stat status;
	int flags;

	if (fstat(STDOUT_FILENO, &status) != 0 ||
	    (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)))
		return;
	flags = fcntl(STDOUT_FILENO, F_GETFL);
	if (flags < 0 || sigaction(SIGIO, &action, NULL) != 0 ||
	    fcntl(STDOUT_FILENO, F_SETOWN, getpid()) != 0 ||
	    fcntl(STDOUT_FILENO, F_SETFL, flags | O_ASYNC) != 0)
		return;
	leave(SIGIO); /* it may have gone already */
}

/* The program at the other end of a socket has its own file open, whatever has become
 * of the name. */
static void find_client(struct binaries *binaries)
{
	const long client = client_id();
	char file[64];

	if (client == 0)
		return;
	snprintf(file, sizeof(file), "/proc/%ld/exe", client);
	binaries_set_running(binaries, file);
}

/* Where the machine is out of memory, it is not the program that was well, or some other,
 * that is to die of it. */
static void stand_in_front(void)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "we");

	if (!file)
		return;
	fputs("1000", file);
	fclose(file);
}

int serve(struct resolver *resolver)
{
	struct lines_in lines;
	int error;

	signal(SIGPIPE, SIG_IGN);
	watch_reader();
	stand_in_front();
	find_client(resolver->binaries);
	lines_in_start(&lines, STDIN_FILENO, WCM_REQUEST_SIZE, WCM_REQUEST_SIZE);
	lines.read = client_read;
	error = converse(resolver, &lines);
	lines_in_stop(&lines);
	if (error == 0 || error == EPIPE || error == ECONNRESET)
		return EXIT_DONE;
	errno = error;
	complain_begin();
	perror("--serve");
	return EXIT_PARTLY;
}
