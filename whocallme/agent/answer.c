/* SPDX-License-Identifier: MIT */
/* answer.c - does what a client asks for.
 *
 * A client is given the end of a pipe.  What it hands over is a file that a graph is written to,
 * or the marker in the folder of a recording, which is found by its name: nothing is
 * opened because of its name.  The pipe does not block the program for longer than a second;
 * whoever does not read for that long has no trace any more.  While a trace is on its other end
 * is open here, too, so that a client that is killed raises no SIGPIPE in the program.
 */
#include "agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/os/output.h"
#include "crash/files/descriptor.h"
#include "crash/report/thread_text.h"
#include "format/agent_protocol.h"
#include "load/load.h"
#include "trace/engine/gate.h"
#include "trace/engine/trace_stderr.h"
#include "trace/log/line_output.h"
#include "trace/process/brought.h"
#include "trace/process/readers.h"
#include "trace/start/flight_start.h"
#include "trace/start/trace_start.h"
#include "whocallme/trace.h"

enum { READ, WRITE, ENDS, BROUGHT = ENDS, KEPT, ROOM = 1 << 20 };

struct request {
	unsigned char token[WCM_AGENT_TOKEN]; /* without which the kernel lets nothing in */
	char *word[WCM_AGENT_MOST_WORDS + 1]; /* a verb, variables, NULL */
	char text[WCM_AGENT_REQUEST_SIZE];
	int file[WCM_AGENT_MOST_FILES]; /* that came with it, or -1 */
};

/* The trace that a client has begun. */
static struct {
	int socket; /* -1: there is none */
	uint32_t generation;
	struct wcm_descriptor kept[KEPT];
} traced = { .socket = -1 };

int wcm__agent_move_away(int fd)
{
	static const int lowest[] = { 1000, 200, 20 };
	int moved = -1;

	for (size_t i = 0; moved < 0 && i < sizeof(lowest) / sizeof(*lowest); i++)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest[i]);
	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

/* False: it is no request. */
static bool split(struct request *request, size_t size)
{
	size_t count = 0;

	if (size == 0 || request->text[size - 1] != '\0')
		return false;
	for (char *at = request->text; at < request->text + size; at += strlen(at) + 1) {
		if (count == WCM_AGENT_MOST_WORDS)
			return false;
		request->word[count++] = at;
	}
	request->word[count] = NULL;
	return true;
}

/* Send RESULT and TEXT, and FD unless that is -1. */
static void reply(int socket, char result, const char *text, int fd)
{
	char answer[WCM_AGENT_ANSWER_SIZE];
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec part = { answer, 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *head;

	part.iov_len = (size_t)snprintf(answer, sizeof(answer), "%c%s", result, text);
	if (part.iov_len >= sizeof(answer))
		part.iov_len = sizeof(answer) - 1;
	if (fd >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	}
	sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void refuse(int socket, const char *why)
{
	reply(socket, WCM_AGENT_REFUSED, why, -1);
}

void wcm__agent_ask_again(int fd)
{
	reply(fd, WCM_AGENT_AGAIN, "", -1);
}

/* False, after an answer: there is no descriptor left. */
static bool make_pipe(int socket, int end[ENDS])
{
	if (pipe2(end, O_CLOEXEC | O_NONBLOCK) != 0) {
		refuse(socket, strerror(errno));
		return false;
	}
	fcntl(end[WRITE], F_SETPIPE_SZ, ROOM);
	for (int i = 0; i < ENDS; i++)
		end[i] = wcm__agent_move_away(end[i]);
	return true;
}

static enum wcm_status write_stacks(int fd)
{
	wcm__load_all(NULL); /* what has no table is named from .dynsym */
	return wcm__threads_write_others(fd);
}

/* Send what WRITER writes. */
static void answer_text(int socket, enum wcm_status (*writer)(int fd))
{
	int end[ENDS];

	if (!make_pipe(socket, end))
		return;
	reply(socket, WCM_AGENT_DONE, "", end[READ]);
	close(end[READ]);
	wcm__output_bound(true);
	writer(end[WRITE]);
	wcm__output_bound(false);
	close(end[WRITE]);
}

/* Its client hears that it has ended. */
static void cut_off(void)
{
	const int client = traced.socket;

	wcm__agent_end_trace();
	shutdown(client, SHUT_RDWR);
}

static void answer_stack(int socket, char *const words[])
{
	(void)words;
	answer_text(socket, write_stacks);
}

static bool has_flight(int socket)
{
	if (wcm__gate_word().flight != 0)
		return true;
	refuse(socket, "its flight recorder is off; --flight=N switches it on");
	return false;
}

static void answer_flight(int socket, char *const words[])
{
	(void)words;
	if (has_flight(socket))
		answer_text(socket, wcm_flight_write);
}

/* What cannot be recorded is told to the client. */
static void answer_flight_start(int socket, char *const words[])
{
	const uint32_t calls = words[0] ? wcm__flight_calls(words[0]) : 0;
	int end[ENDS];

	if (calls == 0) {
		refuse(socket, "it needs a number of calls");
		return;
	}
	if (!make_pipe(socket, end))
		return;
	wcm__trace_stderr_lend(end[WRITE]);
	wcm_flight_start(calls);
	wcm__trace_stderr_lend(traced.socket >= 0 ? traced.kept[WRITE].fd : -1);
	reply(socket, WCM_AGENT_DONE, "", end[READ]);
	close(end[READ]);
	close(end[WRITE]);
}

static void answer_flight_stop(int socket, char *const words[])
{
	(void)words;
	if (!has_flight(socket))
		return;
	wcm_flight_stop();
	reply(socket, WCM_AGENT_DONE, "", -1);
}

static void answer_stop(int socket, char *const words[])
{
	const uint32_t live = wcm__gate_live();

	(void)words;
	if (live == 0) {
		refuse(socket, "nothing of it is traced");
		return;
	}
	if (traced.socket >= 0 && traced.generation == live)
		cut_off();
	else
		wcm__trace_end(live);
	reply(socket, WCM_AGENT_DONE, "", -1);
}

/* It keeps the ends of the pipe, and the file. */
static void keep(int socket, uint32_t generation, const int end[ENDS], int file)
{
	for (int i = 0; i < ENDS; i++)
		wcm__descriptor_note(&traced.kept[i], end[i]);
	wcm__descriptor_note(&traced.kept[BROUGHT], file);
	traced.generation = generation;
	traced.socket = socket;
}

static bool answer_trace(int socket, struct request *request)
{
	const struct wcm_brought brought = wcm__brought_sort(request->file);
	const char *why;
	uint32_t generation;
	int end[ENDS];

	if (wcm__agent_trace_is_over())
		cut_off();
	if (!make_pipe(socket, end))
		return false;
	wcm__trace_stderr_lend(end[WRITE]);
	wcm__readers_begin(wcm__readers_now());
	generation = wcm__trace_request(request->word + 1, end[WRITE], &brought, &why);
	if (generation == 0) {
		wcm__readers_forget();
		wcm__trace_stderr_lend(-1);
		reply(socket, WCM_AGENT_REFUSED, why ? why : "", end[READ]);
		close(end[READ]);
		close(end[WRITE]);
		return false;
	}
	keep(socket, generation, end, brought.file);
	if (brought.file >= 0)
		request->file[0] = -1;
	wcm__readers_look();
	if (wcm__readers_are_others())
		return false; /* it ends, and nobody has read of it */
	reply(socket, WCM_AGENT_DONE, "", end[READ]);
	return true;
}

/* Of the verbs that nothing of the client outlives. */
static const struct {
	const char *verb;
	void (*answer)(int socket, char *const words[]);
} answers[] = {
	{ WCM_AGENT_STACK, answer_stack },
	{ WCM_AGENT_STOP, answer_stop },
	{ WCM_AGENT_FLIGHT, answer_flight },
	{ WCM_AGENT_FLIGHT_START, answer_flight_start },
	{ WCM_AGENT_FLIGHT_STOP, answer_flight_stop },
};

static void take_files(struct msghdr *message, int file[WCM_AGENT_MOST_FILES])
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	size_t count;

	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
		return;
	count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(*file);
	memcpy(file, CMSG_DATA(head), count * sizeof(*file));
	for (size_t i = 0; i < count; i++)
		file[i] = wcm__agent_move_away(file[i]);
}

/* As recv(2); the kernel closes what more files there are than a request can have. */
static ssize_t receive(int socket, struct request *request)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(request->file))];
	struct iovec parts[] = { { request->token, sizeof(request->token) },
				 { request->text, sizeof(request->text) } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2, .msg_control = control,
				  .msg_controllen = CMSG_LEN(sizeof(request->file)) };
	ssize_t size;

	memset(request->file, -1, sizeof(request->file));
	size = recvmsg(socket, &message, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
	if (size >= 0)
		take_files(&message, request->file);
	return size;
}

/* A socket may be set to linger in close(2). */
static void close_files(const struct request *request)
{
	const struct linger none = { .l_onoff = 1, .l_linger = 0 };

	for (int i = 0; i < WCM_AGENT_MOST_FILES; i++)
		if (request->file[i] >= 0) {
			setsockopt(request->file[i], SOL_SOCKET, SO_LINGER, &none, sizeof(none));
			close(request->file[i]);
		}
}

/* True: it has a trace. */
static bool answer(int socket, struct request *request)
{
	const char *verb = request->word[0];

	if (strcmp(verb, WCM_AGENT_TRACE) == 0)
		return answer_trace(socket, request);
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (strcmp(verb, answers[i].verb) == 0) {
			answers[i].answer(socket, request->word + 1);
			return false;
		}
	refuse(socket, "its library does not know this request");
	return false;
}

bool wcm__agent_answer(int fd)
{
	static struct request request; /* large; the agent is one thread */
	const ssize_t size = receive(fd, &request);
	bool is_kept = false;

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (size > 0 && (size < WCM_AGENT_TOKEN ||
			 (size_t)size > WCM_AGENT_TOKEN + sizeof(request.text) ||
			 !split(&request, (size_t)size - WCM_AGENT_TOKEN)))
		refuse(fd, "it does not understand the request");
	else if (size > 0)
		is_kept = answer(fd, &request);
	close_files(&request);
	return is_kept;
}

int wcm__agent_tracing(void)
{
	return traced.socket;
}

bool wcm__agent_trace_is_over(void)
{
	if (traced.socket >= 0)
		wcm__readers_look();
	return traced.socket >= 0 &&
	       (wcm__gate_live() != traced.generation || wcm__readers_are_others());
}

/* The program may have closed them, and others have the numbers. */
static void close_kept(void)
{
	for (int i = 0; i < KEPT; i++)
		if (traced.kept[i].fd >= 0 && !wcm__descriptor_is_another(&traced.kept[i]))
			close(traced.kept[i].fd);
}

static void close_trace(void (*how)(uint32_t generation))
{
	if (traced.socket < 0)
		return;
	how(traced.generation);
	wcm__readers_forget();
	wcm__trace_stderr_lend(-1);
	close_kept();
	traced.socket = -1;
}

/* The pipe may be full: this cannot be said in it. */
static void tell_of_early_end(void)
{
	if (wcm__readers_are_others())
		refuse(traced.socket,
		       "the trace has ended early, because the process has changed by whom it can "
		       "be read (prctl(2), PR_SET_DUMPABLE)");
	else if (wcm__agent_trace_is_over() && wcm__line_output_failure() == -EAGAIN)
		refuse(traced.socket,
		       "the trace has ended early, because its lines were not read for a second; "
		       "write them to a FILE, trace less of it (-F, -D), or have it write a "
		       "recording (--record)");
}

void wcm__agent_end_trace(void)
{
	if (traced.socket >= 0)
		tell_of_early_end();
	close_trace(wcm__trace_end);
}

void wcm__agent_forget_trace(void)
{
	close_trace(wcm__trace_abandon);
}
