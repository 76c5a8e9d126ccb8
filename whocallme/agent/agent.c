/* SPDX-License-Identifier: MIT */
/* agent.c - the thread that answers `whocallme trace -p` and `whocallme stack -p`.
 *
 * It sleeps until a client comes, and looks up once a second: whether the program has closed
 * its socket, as daemons close all there are, and whether the program's own threads have ended.
 * It waits by system calls alone, so that a libc that is traced shows none of it.
 */
#include "whocallme/agent.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/answer.h"
#include "agent/peer.h"
#include "core/os/clock.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/socket.h"
#include "core/report/line.h"
#include "crash/files/descriptor.h"
#include "crash/threads/own_threads.h"
#include "front/library_thread.h"
#include "trace/probe/trace_stderr.h"
#include "trace/source/system/system_calls.h"

enum {
	STACK_SIZE = 256 * 1024,
	MOST_CLIENTS = 16,  /* that wait for an answer */
	MOST_AT_ONCE = 128, /* that are accepted in one go */
};

#define MILLISECOND UINT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define PATIENCE (5 * SECOND) /* with a client that asks nothing */
#define PAUSE (10 * MILLISECOND) /* after a connection that was refused */

struct client {
	struct wcm_descriptor socket; /* of none: fd is -1 */
	uint64_t came;
};

static struct client clients[MOST_CLIENTS];
static struct wcm_descriptor listening;
static bool stopping;
static pthread_t thread;
static pid_t owner; /* the process that THREAD is a thread of; 0: there is none */
static struct wcm_owner changer; /* the thread that starts or stops it */

static bool is_ours(const struct wcm_descriptor *socket)
{
	return socket->fd >= 0 && !wcm__descriptor_is_another(socket);
}

/* The program may have closed it, and another have the number. */
static void let_go(struct wcm_descriptor *socket)
{
	if (is_ours(socket))
		close(socket->fd);
	socket->fd = -1;
}

static void dismiss(struct client *client)
{
	if (client->socket.fd >= 0 && client->socket.fd == wcm__agent_tracing())
		wcm__agent_end_trace();
	let_go(&client->socket);
}

static bool begin_listening(void)
{
	const int fd = wcm__peer_listen();

	if (fd < 0)
		return false;
	wcm__descriptor_note(&listening, fd);
	return true;
}

/* One for who has come last: a free one, or that of who has waited longest. */
static struct client *make_room(void)
{
	struct client *oldest = NULL;

	for (struct client *each = clients; each < clients + MOST_CLIENTS; each++) {
		if (each->socket.fd < 0)
			return each;
		if (each->socket.fd != wcm__agent_tracing() &&
		    (!oldest || each->came < oldest->came))
			oldest = each;
	}
	dismiss(oldest);
	return oldest;
}

/* False: it is to be left alone for a moment. */
static bool accept_one(bool *is_last)
{
	const int fd = accept4(listening.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *client;

	*is_last = fd < 0;
	if (fd < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!wcm__peer_is_trusted(fd)) {
		close(fd);
		return false;
	}
	client = make_room();
	wcm__descriptor_note(&client->socket, wcm__peer_move_away(fd));
	client->came = wcm__clock_ns();
	return true;
}

/* Anybody may connect to an abstract name: other users are to cost no more than a little of
 * each pause. */
static void accept_all(void)
{
	bool is_last = false, is_quiet = true;

	for (int i = 0; i < MOST_AT_ONCE && !is_last; i++)
		is_quiet &= accept_one(&is_last);
	if (!is_quiet)
		wcm__nanosleep(PAUSE);
}

/* Before others are answered, who may have come for the next trace. */
static void end_trace_if_over(void)
{
	const int tracing = wcm__agent_tracing();

	for (struct client *each = clients; tracing >= 0 && each < clients + MOST_CLIENTS; each++)
		if (each->socket.fd == tracing &&
		    (!is_ours(&each->socket) || wcm__agent_trace_is_over() ||
		     wcm__poll(tracing, POLLIN, 0) > 0))
			dismiss(each);
}

static void serve(struct client *client, int events)
{
	const bool waits = client->socket.fd != wcm__agent_tracing();

	if (!is_ours(&client->socket))
		dismiss(client);
	else if (waits && (events ? !wcm__agent_answer(client->socket.fd)
				  : wcm__clock_ns() > client->came + PATIENCE))
		dismiss(client);
}

/* Wait for events, a second at most, and handle them.  False: the socket is gone. */
static bool serve_all(void)
{
	struct pollfd polls[MOST_CLIENTS + 1] = { { .fd = listening.fd, .events = POLLIN } };

	for (int i = 0; i < MOST_CLIENTS; i++)
		polls[i + 1] = (struct pollfd){ .fd = clients[i].socket.fd, .events = POLLIN };
	if (wcm__poll_all(polls, MOST_CLIENTS + 1, SECOND) < 0)
		memset(polls, 0, sizeof(polls));
	if (__atomic_load_n(&stopping, __ATOMIC_ACQUIRE))
		return true;
	end_trace_if_over();
	for (int i = 0; i < MOST_CLIENTS; i++)
		if (clients[i].socket.fd >= 0)
			serve(&clients[i], polls[i + 1].revents);
	if (!is_ours(&listening))
		return begin_listening();
	if (polls[0].revents)
		accept_all();
	return true;
}

static void *run(void *unused)
{
	int status;

	wcm__system_calls_pause(); /* all that this thread does is the library's own */
	prctl(PR_SET_NAME, "wcm-agent");
	wcm__own_thread_begin(false);
	while (!__atomic_load_n(&stopping, __ATOMIC_ACQUIRE) && serve_all())
		if (wcm__own_threads_are_alone(&status))
			break;
	for (int i = 0; i < MOST_CLIENTS; i++)
		dismiss(&clients[i]);
	let_go(&listening);
	wcm__own_thread_end();
	return unused;
}

/* A child has none of it: neither the thread nor the trace, and it would keep the sockets
 * open when its parent ends. */
static void forget(void)
{
	const int kept = errno;

	if (owner != 0) {
		wcm__agent_forget_trace();
		for (int i = 0; i < MOST_CLIENTS; i++)
			let_go(&clients[i].socket);
		let_go(&listening);
		owner = 0;
	}
	errno = kept;
}

static bool start(void)
{
	static bool registered;

	for (int i = 0; i < MOST_CLIENTS; i++)
		clients[i].socket.fd = -1;
	if (!wcm__peer_note_user()) {
		errno = EPERM;
		return false;
	}
	if (!registered && pthread_atfork(NULL, NULL, forget) != 0)
		return false;
	registered = true;
	if (!begin_listening())
		return false;
	stopping = false;
	if (wcm__library_thread_start(&thread, run, STACK_SIZE)) {
		owner = getpid();
		return true;
	}
	let_go(&listening);
	errno = EAGAIN;
	return false;
}

enum wcm_status wcm_agent_start(void)
{
	enum wcm_status status = WCM_OK;

	if (wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return WCM_ESYSTEM;
	if (owner != getpid() && !start())
		status = WCM_ESYSTEM;
	wcm__owner_give_back(&changer);
	return status;
}

void wcm_agent_stop(void)
{
	if (wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return;
	if (owner == getpid()) {
		__atomic_store_n(&stopping, true, __ATOMIC_RELEASE);
		if (is_ours(&listening))
			shutdown(listening.fd, SHUT_RDWR); /* wakes it */
		pthread_join(thread, NULL);
		owner = 0;
	}
	wcm__owner_give_back(&changer);
}

static void complain(const char *text, const char *more)
{
	struct wcm_line line;

	wcm__line_init(&line, wcm__trace_stderr());
	wcm__line_text(&line, "<whocallme>: there is no agent: ");
	wcm__line_text(&line, text);
	wcm__line_name(&line, more);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

/* A program that has more privileges than whoever started it does not obey that one's
 * environment. */
__attribute__((constructor)) static void start_from_environment(void)
{
	const char *asked = secure_getenv("WHOCALLME_AGENT");

	if (!asked || !*asked || strcmp(asked, "no") == 0)
		return;
	if (strcmp(asked, "yes") != 0)
		complain("WHOCALLME_AGENT takes yes or no, not ", asked);
	else if (wcm_agent_start() != WCM_OK)
		complain("", strerror(errno));
}
