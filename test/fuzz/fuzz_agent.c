/* SPDX-License-Identifier: MIT */
/* fuzz_agent.c - any client, to the agent of a process that runs.
 *
 * Whatever a packet is, and whatever comes with it, it has one answer, with what there is to be
 * read, and a trace that it begins can be ended; no descriptor is left of either.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "format/agent_protocol.h"
#include "fuzzer.h"
#include "whocallme/trace.h"

const char fuzz_name[] = "agent";

#define TRACE "WHOCALLME_TRACE"
#define OUTPUT "WHOCALLME_OUTPUT="

enum { AGENT, CLIENT, ENDS, OUT_OF_THE_WAY = 1000, MOST_BROUGHT = 3 };

/* Tables that others take the place of stay, for who reads them. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:wcm__build_table\n";
}

/* A word, and the zero byte behind it. */
static void put_word(struct text *packet, const char *word)
{
	text_put(packet, word, strlen(word) + 1);
}

static void put_value(struct text *packet, struct choices *choices)
{
	static const char *const values[] = { "yes", "no", "keep", "hide", "keep,hide", "*",
					      "main,leaf", "log", NULL };

	switch (choose(choices, 3)) {
	case 0:
		text_print(packet, "%llu", (unsigned long long)any_number(choices));
		break;
	case 1:
		text_print(packet, "%s", one_of(choices, values));
		break;
	default:
		text_name(packet, choices);
	}
	text_put(packet, "", 1);
}

static void put_setting(struct text *packet, struct choices *choices)
{
	static const char *const names[] = {
		"FUNCTIONS", "NOT_FUNCTIONS", "MODULES", "NOT_MODULES", "SOURCES", "NOT_SOURCES",
		"THREADS", "DEPTH", "MIN_NS", "EXITS", "TIMES", "REPLACE", "SIGNALS", "CARRY",
		"SINCE", "CALLEES", "", NULL,
	};

	text_print(packet, TRACE "_%s%s", one_of(choices, names), chance(choices, 20) ? "" : "=");
	put_value(packet, choices);
}

static const char *output(bool is_folder)
{
	static char word[2][128];

	snprintf(word[is_folder], sizeof(*word), OUTPUT "%s/%s", fuzz_dir(),
		 is_folder ? "recording" : "file");
	return word[is_folder];
}

static void put_trace(struct text *packet, struct choices *choices)
{
	static const char *const modes[] = { "log", "pairs", "addresses", "graph", "record",
					     NULL };
	const char *mode = one_of(choices, modes);
	const bool is_folder = strcmp(mode, "record") == 0;

	put_word(packet, WCM_AGENT_TRACE);
	text_print(packet, TRACE "=%s", mode);
	text_put(packet, "", 1);
	if (is_folder || choose(choices, 4) == 0)
		put_word(packet, output(is_folder));
	for (size_t i = choose(choices, chance(choices, 20) ? 80 : 4); i > 0; i--)
		put_setting(packet, choices);
}

static void put_request(struct text *packet, struct choices *choices)
{
	static const char *const verbs[] = { WCM_AGENT_STOP, WCM_AGENT_FLIGHT,
					     WCM_AGENT_FLIGHT_STOP, "", "trace ", NULL };

	switch (choose(choices, 4)) {
	case 0:
		put_word(packet, one_of(choices, verbs));
		break;
	case 1:
		put_word(packet, WCM_AGENT_FLIGHT_START);
		put_value(packet, choices);
		break;
	default:
		put_trace(packet, choices);
	}
}

/* A damaged path may be any. */
static bool is_harmless(const struct text *packet)
{
	const char *end = packet->bytes + packet->size;

	for (const char *at = packet->bytes; at < end; at += strnlen(at, (size_t)(end - at)) + 1)
		if (strncmp(at, OUTPUT, strlen(OUTPUT)) == 0 && strcmp(at, output(false)) != 0 &&
		    strcmp(at, output(true)) != 0)
			return false;
	return true;
}

static void make_packet(struct text *packet, struct choices *choices)
{
	text_clear(packet);
	put_request(packet, choices);
	text_damage(packet, choices);
	text_put(packet, "", 1); /* for is_harmless() */
	packet->size--;
	if (packet->size == 0 || !is_harmless(packet)) {
		text_clear(packet);
		put_word(packet, WCM_AGENT_STOP);
	}
}

static void call_something(void)
{
	__cyg_profile_func_enter((void *)make_packet, __builtin_return_address(0));
	__cyg_profile_func_exit((void *)make_packet, __builtin_return_address(0));
}

/* Read what there is, as a client does. */
static void drain(int fd)
{
	char bytes[4096];

	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	close(fd);
}

/* The answer is one packet, and comes with one descriptor or none. */
static void check_answer(int socket)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
	char answer[WCM_AGENT_ANSWER_SIZE + 1];
	struct iovec part = { answer, sizeof(answer) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
				  .msg_controllen = sizeof(control) };
	const ssize_t size = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *head = size > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	int fd;

	if (size <= 0 || size > WCM_AGENT_ANSWER_SIZE)
		fuzz_fail("an answer of %zd bytes: %s", size, size < 0 ? strerror(errno) : "");
	if (answer[0] != WCM_AGENT_DONE && answer[0] != WCM_AGENT_REFUSED)
		fuzz_fail("an answer that begins with %d", answer[0]);
	if (answer[0] == WCM_AGENT_REFUSED && size == 1 && !head)
		fuzz_fail("a refusal without a reason");
	if (!head)
		return;
	if (head->cmsg_len != CMSG_LEN(sizeof(fd)))
		fuzz_fail("more than one descriptor");
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	drain(fd);
}

/* The folder of a recording, without a file. */
static int empty_folder(void)
{
	const char *path = output(true) + strlen(OUTPUT);
	struct dirent *entry;
	DIR *folder;
	int fd;

	mkdir(path, 0755);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		unlinkat(fd, entry->d_name, 0);
	if (folder)
		closedir(folder);
	return fd;
}

static int some_file(struct choices *choices, int folder)
{
	switch (choose(choices, 4)) {
	case 0:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	case 1:
		return openat(folder, "whocallme", O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
	case 2:
		return openat(folder, "whocallme", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	default:
		return memfd_create(fuzz_name, MFD_CLOEXEC);
	}
}

/* What comes with a packet; mostly what a graph or a recording needs. */
static size_t bring(struct choices *choices, int fd[MOST_BROUGHT])
{
	const int folder = empty_folder();
	size_t count = 0;

	switch (choose(choices, 4)) {
	case 0:
		fd[count++] = memfd_create(fuzz_name, MFD_CLOEXEC);
		break;
	case 1:
		fd[count++] = openat(folder, "whocallme", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		fd[count++] = dup(folder);
		break;
	default:
		while (count < MOST_BROUGHT && choose(choices, 2))
			fd[count++] = some_file(choices, folder);
	}
	close(folder);
	return count;
}

static void send_packet(int socket, const struct text *packet, const int *fd, size_t count)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(MOST_BROUGHT * sizeof(int))] = { 0 };
	char token[WCM_AGENT_TOKEN] = { 0 };
	struct iovec parts[] = { { token, sizeof(token) }, { packet->bytes, packet->size } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	struct cmsghdr *head;

	if (count > 0) {
		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(*fd));
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(count * sizeof(*fd));
		memcpy(CMSG_DATA(head), fd, count * sizeof(*fd));
	}
	if (sendmsg(socket, &message, 0) != (ssize_t)(sizeof(token) + packet->size))
		fuzz_fail("%s", strerror(errno));
	for (size_t i = 0; i < count; i++)
		close(fd[i]);
}

/* One packet, and what becomes of it. */
static void ask(const struct text *packet, struct choices *choices)
{
	int end[ENDS], fd[MOST_BROUGHT];
	bool is_kept;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, end) != 0)
		fuzz_fail("%s", strerror(errno));
	send_packet(end[CLIENT], packet, fd, bring(choices, fd));
	is_kept = wcm__agent_answer(end[AGENT]);
	check_answer(end[CLIENT]);
	if (is_kept != (wcm__agent_tracing() == end[AGENT]))
		fuzz_fail("it keeps a client without a trace");
	call_something();
	if (is_kept)
		wcm__agent_end_trace();
	if (wcm__agent_tracing() >= 0)
		fuzz_fail("the trace has not ended");
	close(end[AGENT]);
	close(end[CLIENT]);
}

/* The numbers that would be given next. */
static void next_numbers(int number[2])
{
	static const int from[] = { 0, OUT_OF_THE_WAY };

	for (int i = 0; i < 2; i++) {
		number[i] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, from[i]);
		close(number[i]);
	}
}

/* A trace that is told no name has one in the current folder. */
static void go_to_own_folder(void)
{
	static bool is_there;

	if (!is_there && chdir(fuzz_dir()) != 0)
		fuzz_fail("%s: %s", fuzz_dir(), strerror(errno));
	is_there = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct text packet;
	struct choices choices = { data, data + size };
	int before[2], after[2];

	go_to_own_folder();
	next_numbers(before);
	for (size_t i = 1 + choose(&choices, 3); i > 0; i--) {
		make_packet(&packet, &choices);
		ask(&packet, &choices);
	}
	next_numbers(after);
	if (memcmp(before, after, sizeof(before)) != 0)
		fuzz_fail("a descriptor is left, %d or %d", before[0], before[1]);
	return 0;
}
