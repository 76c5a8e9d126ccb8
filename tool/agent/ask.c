/* SPDX-License-Identifier: MIT */
/* ask.c - sends a request, and copies what comes, escaped and bounded. */
#include "agent/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/at_once.h"
#include "agent/find_agent.h"
#include "base/complain.h"
#include "base/escape.h"
#include "format/agent_protocol.h"

enum {
	PAUSE = 200, /* milliseconds */
	MOST_CONTROL = CMSG_SPACE(WCM_AGENT_MOST_FILES * sizeof(int)),
};

/* FILES end with -1. */
static bool send_packet(int socket, const struct wcm_agent_ring *ring, char *packet, size_t size,
			const int *files)
{
	_Alignas(struct cmsghdr) char control[MOST_CONTROL] = { 0 };
	unsigned char token[WCM_AGENT_TOKEN];
	struct iovec parts[] = { { token, sizeof(token) }, { packet, size } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	struct cmsghdr *head;
	size_t count = 0;

	memcpy(token, ring->token, sizeof(token));
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
	return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)(sizeof(token) + size);
}

static bool send_words(int socket, const struct wcm_agent_ring *ring, char *const words[],
		       const int *files)
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
	if (send_packet(socket, ring, request, used, files))
		return true;
	complain("the agent does not listen: %s", strerror(errno));
	return false;
}

/* The descriptor that came with a message alone, if it is a pipe's; reading it never waits.  Others
 * are closed. */
static int take_descriptor(struct msghdr *message)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	if (fd >= 0 && ((message->msg_flags & MSG_CTRUNC) != 0 ||
			fcntl(fd, F_GETPIPE_SZ) < 0)) { /* no pipe; fstat(2) may wait */
		close_at_once(fd);
		fd = -1;
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* As recv(2) of an answer, with what comes with it. */
static ssize_t receive_packet(int socket, char text[WCM_AGENT_ANSWER_SIZE], int *output)
{
	/* Room for one, and not for what aligns it, which may be that of a second: the kernel
	 * closes what more there is. */
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct iovec part = { text, WCM_AGENT_ANSWER_SIZE - 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
				  .msg_controllen = CMSG_LEN(sizeof(int)) };
	const ssize_t size = receive_at_once(socket, &message, MSG_CMSG_CLOEXEC);

	if (size >= 0)
		text[size] = '\0';
	*output = size > 0 ? take_descriptor(&message) : -1;
	return size;
}

/* Whether an answer asks to ring again; what comes with it is nothing. */
static bool is_to_ring(struct agent_answer *answer, const char *text)
{
	if (text[0] != WCM_AGENT_AGAIN)
		return false;
	if (answer->output >= 0)
		close(answer->output);
	answer->output = -1;
	return true;
}

/* False: there is no answer, but may be another time; a line says so if it IS_LAST. */
static bool receive(long pid, const struct wcm_agent_ring *ring, bool is_last,
		    struct agent_answer *answer, char text[WCM_AGENT_ANSWER_SIZE])
{
	const int64_t since = agent_clock();
	ssize_t size;

	do {
		text[0] = text[1] = '\0';
		if (agent_await(pid, answer->socket, ring, since) <= 0)
			return true;
		size = receive_packet(answer->socket, text, &answer->output);
	} while (is_to_ring(answer, text) && agent_ring(pid, ring));
	if (size <= 0 && is_last)
		complain("process %ld has ended, or its agent has", pid);
	return size > 0;
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

/* The words of a process on their way to FD. */
struct passage {
	int from, fd;
	int error;    /* errno of what FD does not take */
	size_t taken; /* bytes, in all */
	size_t kept;  /* of BYTES, the beginning of a line: a character is not cut in two */
	char bytes[1 << 16];
};

/* Whether all of it is lines of ASCII, as nearly all is. */
static bool is_plain(const char *bytes, size_t size)
{
	bool plain = true;

	for (size_t i = 0; i < size; i++)
		plain &= (bytes[i] >= ' ' && bytes[i] < 0x7f) || bytes[i] == '\n' ||
			 bytes[i] == '\t';
	return plain;
}

/* Whoever the process belongs to, it may write anything, and a terminal obeys it. */
static bool write_escaped(int fd, const char *bytes, size_t size)
{
	char *text = NULL;
	size_t length;
	FILE *memory;
	bool done;

	if (is_plain(bytes, size))
		return write_all(fd, bytes, size);
	memory = open_memstream(&text, &length);
	if (memory)
		escape_lines(memory, bytes, size);
	done = memory && fclose(memory) == 0 && write_all(fd, text, length);
	free(text);
	return done;
}

/* Write the first SIZE bytes, and keep the rest. */
static bool pass(struct passage *passage, size_t size)
{
	errno = 0;
	if (!write_escaped(passage->fd, passage->bytes, size)) {
		passage->error = errno ? errno : ENOMEM;
		return false;
	}
	passage->kept -= size;
	memmove(passage->bytes, passage->bytes + size, passage->kept);
	return true;
}

static bool pass_lines(struct passage *passage)
{
	const char *end = memrchr(passage->bytes, '\n', passage->kept);

	if (end)
		return pass(passage, (size_t)(end + 1 - passage->bytes));
	return passage->kept < sizeof(passage->bytes) || pass(passage, passage->kept);
}

/* Take what is there, once: a process may write faster than this one reads.  False: nothing is. */
static bool take(struct passage *passage, bool *goes_on)
{
	const ssize_t size = read(passage->from, passage->bytes + passage->kept,
				  sizeof(passage->bytes) - passage->kept);

	if (size <= 0) {
		*goes_on = size < 0 && (errno == EAGAIN || errno == EINTR);
		return false;
	}
	passage->taken += (size_t)size;
	passage->kept += (size_t)size;
	*goes_on = pass_lines(passage);
	return *goes_on;
}

/* Take the rest: no more than the pipe holds, since another process may write to it on and on. */
static void take_rest(struct passage *passage)
{
	const int room = fcntl(passage->from, F_GETPIPE_SZ);
	const size_t most = passage->taken + (room > 0 ? (size_t)room : 0);
	bool goes_on = true;

	while (goes_on && passage->taken < most && take(passage, &goes_on))
		;
	if (!passage->error)
		pass(passage, passage->kept);
}

static void begin(struct passage *passage, int from, int fd)
{
	*passage = (struct passage){ .from = from, .fd = fd };
}

/* The process may have its own place in the file, where it is open: it is opened anew. */
bool agent_copy(int from, int to, size_t most)
{
	static struct passage passage;
	bool goes_on = true;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	begin(&passage, from, to);
	while (passage.taken <= most && take(&passage, &goes_on))
		;
	if (!passage.error)
		pass(&passage, passage.kept);
	close(from);
	if (passage.error)
		complain("the output: %s", strerror(passage.error));
	else if (passage.taken > most)
		complain("what the process has written has more than %zu MiB", most >> 20);
	return !passage.error && passage.taken <= most;
}

static void show_why(const struct agent_answer *answer)
{
	static struct passage passage;

	begin(&passage, answer->output, STDERR_FILENO);
	take_rest(&passage);
}

/* False: no answer has come, but the socket is closed, as by a program that closes what it does not
 * know. */
static bool try_to_ask(long pid, char *const words[], const int *files, bool is_last,
		       struct agent_answer *answer, bool *is_done)
{
	char text[WCM_AGENT_ANSWER_SIZE];
	struct wcm_agent_ring ring;
	bool is_over = true;

	*is_done = false;
	answer->output = -1;
	answer->socket = agent_connect(pid, &ring);
	if (answer->socket >= 0 && send_words(answer->socket, &ring, words, files)) {
		is_over = receive(pid, &ring, is_last, answer, text);
		*is_done = is_over && text[0] == WCM_AGENT_DONE;
		if (is_over && !*is_done && text[1])
			complain_of_refusal(pid, text + 1);
		else if (is_over && !*is_done && answer->output >= 0)
			show_why(answer);
		else if (text[0] == WCM_AGENT_REFUSED)
			complain("process %ld refuses without a reason", pid);
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
		close_at_once(answer->socket);
	answer->output = answer->socket = -1;
}

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal)
{
	(void)signal;
	is_interrupted = true;
}

static const int caught_signals[] = { SIGINT, SIGTERM, SIGHUP };

enum { CAUGHT = sizeof(caught_signals) / sizeof(*caught_signals) };

struct signals {
	struct sigaction action[CAUGHT];
	sigset_t mask; /* while ppoll(2) waits */
};

/* They come while ppoll(2) waits and at no other time. */
static void catch_signals(struct signals *before)
{
	const struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESETHAND };
	sigset_t caught;

	is_interrupted = false;
	sigemptyset(&caught);
	for (int i = 0; i < CAUGHT; i++) {
		sigaction(caught_signals[i], NULL, &before->action[i]);
		if (before->action[i].sa_handler == SIG_IGN)
			continue;
		sigaction(caught_signals[i], &action, NULL);
		sigaddset(&caught, caught_signals[i]);
	}
	sigprocmask(SIG_BLOCK, &caught, &before->mask);
}

static void leave_signals(const struct signals *before)
{
	for (int i = 0; i < CAUGHT; i++)
		sigaction(caught_signals[i], &before->action[i], NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* What the agent has said last, if anything. */
static bool ended_well(long pid, const struct agent_answer *answer)
{
	char text[WCM_AGENT_ANSWER_SIZE];
	struct iovec part = { text, sizeof(text) - 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	const ssize_t size = receive_at_once(answer->socket, &message, MSG_DONTWAIT);

	if (size <= 0 || text[0] != WCM_AGENT_REFUSED)
		return true;
	text[size] = '\0';
	complain_of_refusal(pid, text + 1);
	return false;
}

enum { OUTPUT, SOCKET, PROCESS, POLLED };

/* Wait for any of POLLS, a second at most.  A first signal ends the trace. */
static void await_any(const struct agent_answer *answer, struct pollfd polls[POLLED],
		      const struct signals *before)
{
	static const struct timespec second = { .tv_sec = 1 };

	if (ppoll(polls, POLLED, &second, &before->mask) < 0)
		polls[OUTPUT].revents = polls[SOCKET].revents = polls[PROCESS].revents = 0;
	if (!is_interrupted)
		return;
	shutdown(answer->socket, SHUT_WR);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	is_interrupted = false;
}

/* Whether there is too much of it, or it takes too long; a line says so. */
static bool is_beyond(long pid, const struct agent_bound *bound, size_t taken, int64_t since)
{
	if (bound && taken > bound->bytes)
		complain("process %ld: the rest is left out, since it writes more than %zu MiB",
			 pid, bound->bytes >> 20);
	else if (bound && agent_clock() - since > bound->seconds * 1000)
		complain("process %ld: the rest is left out, since it takes longer than %d seconds",
			 pid, bound->seconds);
	else
		return false;
	return true;
}

/* A child of the process may have the pipe's other end, too: the end of the socket, or of the
 * process, is that of the output. */
bool agent_follow(long pid, const struct agent_answer *answer, int fd,
		  const struct agent_bound *bound)
{
	static struct passage passage;
	struct pollfd polls[POLLED] = {
		[OUTPUT] = { .fd = answer->output, .events = POLLIN },
		[SOCKET] = { .fd = answer->socket, .events = POLLIN },
		[PROCESS] = { .fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0),
			      .events = POLLIN },
	};
	const int64_t since = agent_clock();
	bool is_last = false, goes_on = true, is_cut = false;
	struct signals before;

	if (answer->output < 0) {
		complain("process %ld: its answer comes without the pipe that it is to come by",
			 pid);
		return false;
	}
	begin(&passage, answer->output, fd);
	catch_signals(&before);
	while (goes_on && !is_last && !is_cut) {
		await_any(answer, polls, &before);
		is_last = polls[SOCKET].revents || polls[PROCESS].revents;
		take(&passage, &goes_on);
		is_cut = goes_on && is_beyond(pid, bound, passage.taken, since);
	}
	if (!passage.error)
		take_rest(&passage);
	leave_signals(&before);
	if (polls[PROCESS].fd >= 0)
		close(polls[PROCESS].fd);
	if (passage.error)
		complain("the output: %s", strerror(passage.error));
	return !passage.error && !is_cut && ended_well(pid, answer);
}
