/* SPDX-License-Identifier: MIT */
/* answer.c - what the agent does for its clients.
 *
 * A client is given the end of a pipe, and hands nothing over but words: no descriptor of a
 * client's is ever written to.  The pipe does not block the program for longer than a second;
 * whoever does not read for that long has no trace any more.  While a trace is on its other end
 * is open here, too, so that a client that is killed raises no SIGPIPE in the program.
 */
#include "agent/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/peer.h"
#include "core/os/output.h"
#include "crash/files/descriptor.h"
#include "crash/report/thread_text.h"
#include "format/agent_protocol.h"
#include "load/load.h"
#include "trace/control/flight_start.h"
#include "trace/control/request.h"
#include "trace/control/trace_start.h"
#include "trace/probe/gate.h"
#include "trace/probe/trace_stderr.h"
#include "trace/text/line_output.h"
#include "whocallme/trace.h"

enum { READ, WRITE, ENDS, ROOM = 1 << 20 };

struct request {
	char *word[WCM_AGENT_MOST_WORDS + 1]; /* a verb, variables, NULL */
	char text[WCM_AGENT_REQUEST_SIZE];
};

/* The trace that a client has begun. */
static struct {
	int socket; /* -1: there is none */
	uint32_t generation;
	struct wcm_descriptor end[ENDS];
} traced = { .socket = -1 };

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

/* False, after an answer: there is no descriptor left. */
static bool make_pipe(int socket, int end[ENDS])
{
	if (pipe2(end, O_CLOEXEC | O_NONBLOCK) != 0) {
		refuse(socket, strerror(errno));
		return false;
	}
	fcntl(end[WRITE], F_SETPIPE_SZ, ROOM);
	for (int i = 0; i < ENDS; i++)
		end[i] = wcm__peer_move_away(end[i]);
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
	wcm__trace_stderr_lend(traced.socket >= 0 ? traced.end[WRITE].fd : -1);
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

static bool answer_trace(int socket, char *const settings[])
{
	const char *why;
	uint32_t generation;
	int end[ENDS];

	if (wcm__agent_trace_is_over())
		cut_off();
	if (!make_pipe(socket, end))
		return false;
	wcm__trace_stderr_lend(end[WRITE]);
	generation = wcm__trace_request(settings, end[WRITE], &why);
	if (generation == 0) {
		wcm__trace_stderr_lend(-1);
		reply(socket, WCM_AGENT_REFUSED, why ? why : "", end[READ]);
		close(end[READ]);
		close(end[WRITE]);
		return false;
	}
	for (int i = 0; i < ENDS; i++)
		wcm__descriptor_note(&traced.end[i], end[i]);
	traced.generation = generation;
	traced.socket = socket;
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

bool wcm__agent_answer(int fd)
{
	static struct request request; /* large; the agent is one thread */
	const char *verb;
	ssize_t size = recv(fd, request.text, sizeof(request.text), MSG_DONTWAIT | MSG_TRUNC);

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (size <= 0)
		return false;
	if ((size_t)size > sizeof(request.text) || !split(&request, (size_t)size)) {
		refuse(fd, "it does not understand the request");
		return false;
	}
	verb = request.word[0];
	if (strcmp(verb, WCM_AGENT_TRACE) == 0)
		return answer_trace(fd, request.word + 1);
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (strcmp(verb, answers[i].verb) == 0) {
			answers[i].answer(fd, request.word + 1);
			return false;
		}
	refuse(fd, "its library does not know this request");
	return false;
}

int wcm__agent_tracing(void)
{
	return traced.socket;
}

bool wcm__agent_trace_is_over(void)
{
	return traced.socket >= 0 && wcm__gate_live() != traced.generation;
}

/* The program may have closed them, and others have the numbers. */
static void close_ends(void)
{
	for (int i = 0; i < ENDS; i++)
		if (!wcm__descriptor_is_another(&traced.end[i]))
			close(traced.end[i].fd);
}

static void close_trace(void (*how)(uint32_t generation))
{
	if (traced.socket < 0)
		return;
	how(traced.generation);
	wcm__trace_stderr_lend(-1);
	close_ends();
	traced.socket = -1;
}

/* The pipe is full: this cannot be said in it. */
static void tell_of_slow_reader(void)
{
	if (wcm__agent_trace_is_over() && wcm__line_output_failure() == -EAGAIN)
		refuse(traced.socket,
		       "the trace has ended early, because its lines were not read for a second; "
		       "write them to a FILE, trace less of it (-F, -D), or have it write a "
		       "recording (--record)");
}

void wcm__agent_end_trace(void)
{
	tell_of_slow_reader();
	close_trace(wcm__trace_end);
}

void wcm__agent_forget_trace(void)
{
	close_trace(wcm__trace_abandon);
}
