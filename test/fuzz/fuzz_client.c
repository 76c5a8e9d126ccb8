/* SPDX-License-Identifier: MIT */
/* fuzz_client.c - any agent, to the command that asks it.
 *
 * Whatever the packets are and whatever comes with them, the command ends, what it says is for
 * a terminal, and what it copies is what was in the pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/ask.h"
#include "agent/find_agent.h"
#include "base/escape.h"
#include "format/agent_protocol.h"
#include "fuzzer.h"

const char fuzz_name[] = "client";

enum { AGENT, CLIENT, ENDS, READ = 0, WRITE, MOST_HANDED = 3, MOST_WORDS = 80 };

/* What the agent is. */
static struct {
	struct choices *choices;
	int socket;          /* its end of the latest connection, or -1 */
	struct text lines;   /* what it has put into the pipe of its latest packet */
	bool has_pipe;
	unsigned connections;
} agent = { .socket = -1 };

static struct text words;

/* A pipe whose other end is closed, with some lines in it. */
static int make_pipe(void)
{
	int end[ENDS];

	if (pipe2(end, O_CLOEXEC) != 0)
		fuzz_fail("%s", strerror(errno));
	text_clear(&agent.lines);
	for (size_t i = choose(agent.choices, 3); i > 0; i--)
		text_name(&agent.lines, agent.choices);
	if (agent.lines.size > 0 &&
	    write(end[WRITE], agent.lines.bytes, agent.lines.size) != (ssize_t)agent.lines.size)
		fuzz_fail("%s", strerror(errno));
	close(end[WRITE]);
	agent.has_pipe = true;
	return end[READ];
}

/* Send BYTES, and a pipe, another file, or several. */
static void say(const struct text *bytes)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(MOST_HANDED * sizeof(int))] = { 0 };
	struct iovec part = { bytes->bytes, bytes->size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	size_t count = chance(agent.choices, 3) ? choose(agent.choices, MOST_HANDED + 1) : 1;
	int fd[MOST_HANDED];
	struct cmsghdr *head;

	agent.has_pipe = false;
	for (size_t i = 0; i < count; i++)
		fd[i] = chance(agent.choices, 8) ? open("/dev/null", O_RDONLY | O_CLOEXEC) :
						   make_pipe();
	agent.has_pipe &= count == 1;
	if (count > 0) {
		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(*fd));
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(count * sizeof(*fd));
		memcpy(CMSG_DATA(head), fd, count * sizeof(*fd));
	}
	if (sendmsg(agent.socket, &message, MSG_NOSIGNAL) < 0)
		fuzz_fail("%s", strerror(errno));
	for (size_t i = 0; i < count; i++)
		close(fd[i]);
}

static void make_packet(struct text *packet)
{
	text_clear(packet);
	text_print(packet, "%s", chance(agent.choices, 8) ? "" :
				 choose(agent.choices, 2) ? "+" : "-");
	if (choose(agent.choices, 2))
		text_name(packet, agent.choices);
	text_damage(packet, agent.choices);
	/* Nothing is as good as an end, behind which the command waits before it asks again. */
	if (packet->size == 0 && !chance(agent.choices, 50))
		text_put(packet, "?", 1);
}

/* What it will answer is there before it is asked. */
int agent_connect(long pid, struct wcm_agent_ring *ring)
{
	static struct text packet;
	int end[ENDS];

	memset(ring, 0, sizeof(*ring));
	agent.connections++;
	if (pid != getpid() || agent.connections > 2)
		fuzz_fail("connection %u, to process %ld", agent.connections, pid);
	if (agent.socket >= 0)
		close(agent.socket);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) != 0)
		fuzz_fail("%s", strerror(errno));
	agent.socket = end[AGENT];
	if (!chance(agent.choices, 250)) {
		make_packet(&packet);
		say(&packet);
	}
	if (chance(agent.choices, 4)) {
		make_packet(&packet);
		if (send(agent.socket, packet.bytes, packet.size, MSG_NOSIGNAL) < 0)
			fuzz_fail("%s", strerror(errno));
	}
	shutdown(agent.socket, SHUT_WR);
	return end[CLIENT];
}

/* It has all its packets there. */
bool agent_ring(long pid, const struct wcm_agent_ring *ring)
{
	(void)pid, (void)ring;
	return !chance(agent.choices, 20);
}

int64_t agent_clock(void)
{
	return 0;
}

int agent_await(long pid, int fd, const struct wcm_agent_ring *ring, int64_t since)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };

	(void)pid, (void)ring, (void)since;
	return poll(&polled, 1, -1);
}

static void make_words(char *word[MOST_WORDS + 1])
{
	size_t count = chance(agent.choices, 20) ? choose(agent.choices, MOST_WORDS) :
						   1 + choose(agent.choices, 4);
	char *at;

	text_clear(&words);
	for (size_t i = 0; i < count; i++) {
		text_name(&words, agent.choices);
		text_put(&words, "", 1);
	}
	at = words.bytes;
	for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
		word[i] = at;
	word[count] = NULL;
}

/* What the agent has got are the words, if they are not too many. */
static void check_request(void)
{
	static char request[1 << 17];
	char token[WCM_AGENT_TOKEN];
	struct iovec parts[] = { { token, sizeof(token) }, { request, sizeof(request) } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	const ssize_t size = recvmsg(agent.socket, &message, MSG_DONTWAIT) - WCM_AGENT_TOKEN;

	if (size > 0 && ((size_t)size != words.size || memcmp(request, words.bytes, words.size)))
		fuzz_fail("another request of %zd bytes", size);
	if (size > WCM_AGENT_REQUEST_SIZE)
		fuzz_fail("a request of %zd bytes", size);
}

/* What was copied to FD is what was in the pipe, escaped. */
static void check_copy(int fd)
{
	const off_t size = lseek(fd, 0, SEEK_CUR);
	char *copy = malloc((size_t)size + 1), *expected;
	size_t length;
	FILE *memory = open_memstream(&expected, &length);

	if (!copy || !memory || pread(fd, copy, (size_t)size, 0) != size)
		fuzz_fail("%s", strerror(errno));
	escape_lines(memory, agent.lines.bytes, agent.lines.size);
	fclose(memory);
	if ((size_t)size != length || memcmp(copy, expected, length) != 0)
		fuzz_fail("%ld bytes of %zu are copied", (long)size, length);
	free(copy);
	free(expected);
}

static void follow(struct agent_answer *answer)
{
	const int fd = memfd_create(fuzz_name, MFD_CLOEXEC);

	if (answer->output >= 0 && !agent.has_pipe)
		fuzz_fail("it takes what is no pipe, or one of many");
	agent_follow(getpid(), answer, fd, NULL);
	if (answer->output >= 0)
		check_copy(fd);
	agent_leave(answer);
	close(fd);
}

/* What goes to stderr as it is comes from a pipe. */
static void ask(char *word[])
{
	static const int files[] = { STDIN_FILENO, STDERR_FILENO, -1 };
	struct agent_answer answer;
	char *said;
	size_t size;
	FILE *err = stderr;

	stderr = open_memstream(&said, &size);
	if (agent_ask(getpid(), word, chance(agent.choices, 3) ? files : NULL, &answer))
		follow(&answer);
	else if (answer.socket >= 0 || answer.output >= 0)
		fuzz_fail("descriptors of a refusal");
	fclose(stderr);
	stderr = err;
	check_printable(said, size);
	free(said);
}

/* The command takes those that are not ignored. */
static void ignore_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_IGN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices choices = { data, data + size };
	char *word[MOST_WORDS + 1];
	const int before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	int after;

	close(before);
	ignore_signals();
	agent.choices = &choices;
	agent.connections = 0;
	make_words(word);
	ask(word);
	if (agent.socket >= 0) {
		check_request();
		close(agent.socket);
		agent.socket = -1;
	}
	after = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	close(after);
	if (after != before)
		fuzz_fail("descriptor %d is left", before);
	return 0;
}
