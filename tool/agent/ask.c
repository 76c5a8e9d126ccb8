/* SPDX-License-Identifier: MIT */
/* ask.c - a request to the agent of a running process, and its answer. */
#include "agent/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/find_agent.h"
#include "base/complain.h"
#include "base/escape.h"
#include "format/agent_protocol.h"

enum {
	PAUSE = 200, /* milliseconds */
	MOST_CONTROL = CMSG_SPACE(WCM_AGENT_MOST_FILES * sizeof(int)),
};

/* FILES end with -1. */
static bool send_packet(int socket, char *packet, size_t size, const int *files)
{
	_Alignas(struct cmsghdr) char control[MOST_CONTROL] = { 0 };
	struct iovec part = { packet, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *head;
	size_t count = 0;

	while (files && files[count] >= 0)
		count++;
	if (count > 0) {
		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(*files));
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(count * sizeof(*files));
		memcpy(CMSG_DATA(head), files, count * sizeof(*files));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool send_words(int socket, char *const words[], const int *files)
{
	char request[WCM_AGENT_REQUEST_SIZE];
	size_t used = 0, size;
	int count = 0;

	for (; *words; words++, count++) {
		size = strlen(*words) + 1;
		if (size > sizeof(request) - used || count == WCM_AGENT_MOST_WORDS) {
			complain("the lists of what to trace are too long for a running "
				 "process");
			return false;
		}
		memcpy(request + used, *words, size);
		used += size;
	}
	if (send_packet(socket, request, used, files))
		return true;
	complain("the agent does not listen: %s", strerror(errno));
	return false;
}

/* The descriptor that came with a message alone, if it is a pipe's; reading it never waits.  Others
 * are closed. */
static int take_descriptor(struct msghdr *message)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	struct stat found;
	int fd = -1;

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	if (fd >= 0 && ((message->msg_flags & MSG_CTRUNC) != 0 || fstat(fd, &found) != 0 ||
			!S_ISFIFO(found.st_mode))) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* IS_LAST: it is not tried again. */
static bool receive(long pid, bool is_last, struct agent_answer *answer,
		    char text[WCM_AGENT_ANSWER_SIZE])
{
	/* Room for one, and not for what aligns it, which may be that of a second: the kernel
	 * closes what more there is. */
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct iovec part = { text, WCM_AGENT_ANSWER_SIZE - 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
				  .msg_controllen = CMSG_LEN(sizeof(int)) };
	const int found = agent_await(pid, answer->socket, -1);
	ssize_t size = found > 0 ? recvmsg(answer->socket, &message, MSG_CMSG_CLOEXEC) : -1;

	if (size > 0) {
		text[size] = '\0';
		answer->output = take_descriptor(&message);
		return true;
	}
	text[0] = text[1] = '\0';
	if (found != 0 && is_last)
		complain("process %ld has ended, or its agent has", pid);
	return found == 0;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

static void complain_of_refusal(long pid, const char *why)
{
	complain_begin();
	fprintf(stderr, "process %ld: ", pid);
	escape_text(stderr, why);
	fputc('\n', stderr);
}

bool agent_is_of_another(const struct agent_answer *answer)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(answer->socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
	       size != sizeof(peer) || peer.uid != geteuid();
}

/* Lines of another user's process, as they may be shown. */
static bool write_escaped(int fd, const char *bytes, size_t size)
{
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	bool done = memory != NULL;

	while (done && size > 0) {
		const char *end = memchr(bytes, '\n', size);
		const size_t part = end ? (size_t)(end - bytes) : size;

		escape_source(memory, bytes, part);
		if (end)
			putc('\n', memory);
		bytes += part + (end != NULL);
		size -= part + (end != NULL);
	}
	done = memory && fclose(memory) == 0 && write_all(fd, text, length);
	free(text);
	return done;
}

/* Lines as the library writes them. */
static bool pass(const struct agent_answer *answer, int fd, const char *bytes, size_t size)
{
	return agent_is_of_another(answer) ? write_escaped(fd, bytes, size)
					     : write_all(fd, bytes, size);
}

/* Copy what is there.  False: there is no more, or FD does not take it, which errno says. */
static bool copy(const struct agent_answer *answer, int fd)
{
	static char bytes[1 << 16];
	ssize_t size;

	while ((size = read(answer->output, bytes, sizeof(bytes))) > 0)
		if (!pass(answer, fd, bytes, (size_t)size))
			return false;
	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	errno = 0;
	return false;
}

/* False: no answer has come, but the socket is closed, as by a program that closes what it does not
 * know. */
static bool try_to_ask(long pid, char *const words[], const int *files, bool is_last,
		       struct agent_answer *answer, bool *is_done)
{
	char text[WCM_AGENT_ANSWER_SIZE];
	bool is_over = true;

	*is_done = false;
	answer->output = -1;
	answer->socket = agent_connect(pid);
	if (answer->socket >= 0 && send_words(answer->socket, words, files)) {
		is_over = receive(pid, is_last, answer, text);
		*is_done = is_over && text[0] == WCM_AGENT_DONE;
		if (is_over && !*is_done && text[1])
			complain_of_refusal(pid, text + 1);
		else if (is_over && !*is_done && answer->output >= 0)
			copy(answer, STDERR_FILENO);
	}
	if (!*is_done)
		agent_leave(answer);
	return is_over;
}

bool agent_ask(long pid, char *const words[], const int *files, struct agent_answer *answer)
{
	bool is_done;

	if (!try_to_ask(pid, words, files, false, answer, &is_done)) {
		poll(NULL, 0, PAUSE);
		try_to_ask(pid, words, files, true, answer, &is_done);
	}
	return is_done;
}

void agent_leave(struct agent_answer *answer)
{
	if (answer->output >= 0)
		close(answer->output);
	if (answer->socket >= 0)
		close(answer->socket);
	answer->output = answer->socket = -1;
}

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal)
{
	(void)signal;
	is_interrupted = true;
}

/* They come while ppoll(2) waits and at no other time; *WAITING is the mask then. */
static void catch_signals(sigset_t *waiting)
{
	const struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESETHAND };
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction before;
	sigset_t caught;

	sigemptyset(&caught);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		sigaction(signals[i], NULL, &before);
		if (before.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &action, NULL);
		sigaddset(&caught, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &caught, waiting);
}

/* What the agent has said last, if anything. */
static bool ended_well(long pid, const struct agent_answer *answer)
{
	char text[WCM_AGENT_ANSWER_SIZE];
	const ssize_t size = recv(answer->socket, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (size <= 0 || text[0] != WCM_AGENT_REFUSED)
		return true;
	text[size] = '\0';
	complain_of_refusal(pid, text + 1);
	return false;
}

enum { OUTPUT, SOCKET, PROCESS, POLLED };

/* A child of the process may have the pipe's other end, too: the end of the socket, or of the
 * process, is that of the output. */
bool agent_follow(long pid, const struct agent_answer *answer, int fd)
{
	struct pollfd polls[POLLED] = {
		[OUTPUT] = { .fd = answer->output, .events = POLLIN },
		[SOCKET] = { .fd = answer->socket, .events = POLLIN },
		[PROCESS] = { .fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0),
			      .events = POLLIN },
	};
	bool is_last = false, goes_on = true;
	sigset_t waiting;

	catch_signals(&waiting);
	while (goes_on && !is_last) {
		if (ppoll(polls, POLLED, NULL, &waiting) < 0)
			polls[OUTPUT].revents = polls[SOCKET].revents =
				polls[PROCESS].revents = 0;
		if (is_interrupted) {
			shutdown(answer->socket, SHUT_WR);
			sigprocmask(SIG_SETMASK, &waiting, NULL);
			is_interrupted = false;
			continue;
		}
		is_last = polls[SOCKET].revents || polls[PROCESS].revents;
		goes_on = copy(answer, fd);
	}
	if (polls[PROCESS].fd >= 0)
		close(polls[PROCESS].fd);
	if (goes_on || errno == 0)
		return ended_well(pid, answer);
	complain("the output: %s", strerror(errno));
	return false;
}
