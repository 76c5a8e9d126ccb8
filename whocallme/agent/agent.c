/* SPDX-License-Identifier: MIT */
/* agent.c - the thread that answers `whocallme trace -p` and `whocallme stack -p`.
 *
 * It sleeps, without a descriptor, until a client has rung (bell.c), and connects to where the
 * client listens.  While it has clients it looks up often: whether another one has rung, whether
 * one has gone, whether the program has closed a socket, as daemons close all that there are.
 * Until a packet has the client's token the kernel lets nothing of it into the agent's socket: what
 * a stranger sends is dropped as it sends it, with the descriptors, whose closing could wait.
 * It waits by system calls alone, so that a libc that is traced shows none of it.
 */
#include "whocallme/agent.h"

#include <errno.h>
#include <linux/filter.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/agent.h"
#include "core/os/auxv.h"
#include "core/os/clock.h"
#include "core/os/futex.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/socket.h"
#include "format/line.h"
#include "crash/files/descriptor.h"
#include "crash/signals/altstack.h"
#include "crash/threads/own_threads.h"
#include "format/settings.h"
#include "front/library_thread.h"
#include "trace/engine/trace_stderr.h"
#include "trace/process/readers.h"
#include "trace/system/system_calls.h"

enum {
	STACK_SIZE = 256 * 1024,
	MOST_CLIENTS = 16, /* that wait for an answer */
	MOST_TRIES = 100,  /* to connect to a client, a PAUSE apart */
};

#define MILLISECOND UINT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define PATIENCE (5 * SECOND) /* with a client that asks nothing */
#define MOST_REST (5 * SECOND) /* that a call of the program's waits for the thread's end */
#define PAUSE (10 * MILLISECOND)
#define A_YEAR (365 * 86400 * SECOND)
#define LOOK (50 * MILLISECOND) /* between two looks for others who ring */

struct client {
	struct wcm_descriptor socket; /* of none: fd is -1 */
	uint64_t came;
	bool is_judged; /* a request has come */
	uint32_t rope; /* the latest when its request had come */
	unsigned char token[WCM_AGENT_TOKEN];
};

static struct client clients[MOST_CLIENTS];
static bool stopping, is_resting;
static pthread_t thread;
static uint32_t is_ready, has_ended; /* futexes */
static bool is_lost; /* nobody waits for it any more; it ends when it can */
static pid_t owner; /* the process that THREAD is a thread of; 0: there is none */
static struct wcm_owner changer; /* the thread that starts or stops it */
static bool is_asked_for;       /* by the environment */

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

static void dismiss_all(void)
{
	for (int i = 0; i < MOST_CLIENTS; i++)
		dismiss(&clients[i]);
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

static bool is_stopping(void)
{
	return __atomic_load_n(&stopping, __ATOMIC_ACQUIRE);
}

/* Have the kernel drop what does not begin with TOKEN, while its sender sends it. */
static bool hear_only(int fd, const unsigned char token[WCM_AGENT_TOKEN])
{
	enum { WORDS = WCM_AGENT_TOKEN / 4, TAKE = 2 * WORDS, DROP, SIZE };
	struct sock_filter code[SIZE] = {
		[TAKE] = BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		[DROP] = BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog filter = { SIZE, code };

	for (unsigned i = 0; i < TAKE; i += 2) {
		const unsigned char *word = token + (size_t)i * 2;

		code[i] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, i * 2);
		code[i + 1] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K,
			(uint32_t)word[0] << 24 | (uint32_t)word[1] << 16 |
				(uint32_t)word[2] << 8 | word[3],
			0, (unsigned char)(DROP - i - 2));
	}
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0;
}

/* A socket that leads to where the client listens; -1: it does not.  Others may fill its queue,
 * which the client empties. */
static int connect_to(const struct wcm_agent_ring *ring)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
				    WCM_AGENT_NAME "%016llx", (unsigned long long)ring->name);
	const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
					   (size_t)length);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	fd = wcm__agent_move_away(fd);
	for (int i = hear_only(fd, ring->token) ? 0 : MOST_TRIES; i < MOST_TRIES; i++) {
		if (connect(fd, (struct sockaddr *)&address, size) == 0)
			return fd;
		if ((errno != EAGAIN && errno != EINTR) || is_stopping())
			break;
		wcm__nanosleep(PAUSE);
	}
	close(fd);
	return -1;
}

static void meet(const struct wcm_agent_ring *ring)
{
	const int fd = connect_to(ring);
	struct client *client;

	if (fd < 0)
		return;
	client = make_room();
	wcm__descriptor_note(&client->socket, fd);
	client->came = wcm__clock_ns();
	client->is_judged = false;
	memcpy(client->token, ring->token, sizeof(client->token));
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

static struct client *find(const unsigned char token[WCM_AGENT_TOKEN])
{
	for (struct client *each = clients; each < clients + MOST_CLIENTS; each++)
		if (each->socket.fd >= 0 && memcmp(each->token, token, WCM_AGENT_TOKEN) == 0)
			return each;
	return NULL;
}

/* Answered is what the kernel lets the client ask now: who has come to what is newer than the
 * request, and than who may read the process. */
static void judge(struct client *client, const struct wcm_bell_ring *ring)
{
	if (!client->is_judged)
		return;
	end_trace_if_over(); /* if it ended before the request was sent */
	if (!is_ours(&client->socket))
		dismiss(client);
	else if ((int32_t)(ring->rope - client->rope) <= 0 || ring->readers != wcm__readers_now())
		wcm__agent_ask_again(client->socket.fd);
	else if (!wcm__agent_answer(client->socket.fd))
		dismiss(client);
	else if (client->socket.fd == wcm__agent_tracing())
		client->is_judged = false;
}

static void meet_all(void)
{
	struct wcm_bell_ring ring;
	struct client *client;

	while (!is_stopping() && wcm__bell_answer(&ring)) {
		client = find(ring.ring.token);
		if (client)
			judge(client, &ring);
		else
			meet(&ring.ring);
	}
}

/* False: the client is done.  A request is left where it is until the client has rung again. */
static bool hear(struct client *client)
{
	if (client->is_judged)
		return false; /* it has gone */
	client->is_judged = true;
	client->rope = wcm__bell_rope();
	wcm__agent_ask_again(client->socket.fd);
	return true;
}

static void serve(struct client *client, int events)
{
	const bool waits = client->socket.fd != wcm__agent_tracing();

	if (!is_ours(&client->socket))
		dismiss(client);
	else if (waits && (events ? !hear(client)
				  : wcm__clock_ns() > client->came + PATIENCE))
		dismiss(client);
}

static bool has_clients(void)
{
	for (int i = 0; i < MOST_CLIENTS; i++)
		if (clients[i].socket.fd >= 0)
			return true;
	return false;
}

static bool is_judging(void)
{
	for (int i = 0; i < MOST_CLIENTS; i++)
		if (clients[i].socket.fd >= 0 && clients[i].is_judged)
			return true;
	return false;
}

/* Wait for events of the clients, for a LOOK at most, and handle them.  One that is to ring is
 * waited for at the bell: for what has happened there since SEEN. */
static void serve_clients(uint32_t seen)
{
	const bool awaits_ring = is_judging();
	struct pollfd polls[MOST_CLIENTS];

	if (awaits_ring)
		wcm__bell_await(seen, PAUSE);
	for (int i = 0; i < MOST_CLIENTS; i++)
		polls[i] = (struct pollfd){ .fd = clients[i].socket.fd,
					    .events = clients[i].is_judged ? 0 : POLLIN };
	if (wcm__poll_all(polls, MOST_CLIENTS, awaits_ring ? 0 : LOOK) < 0) {
		memset(polls, 0, sizeof(polls));
		wcm__nanosleep(PAUSE);
	}
	if (is_stopping())
		return;
	end_trace_if_over();
	for (int i = 0; i < MOST_CLIENTS; i++)
		if (clients[i].socket.fd >= 0)
			serve(&clients[i], polls[i].revents);
}

static void *run(void *unused)
{
	uint32_t seen;

	wcm__system_calls_pause(); /* all that this thread does is the library's own */
	prctl(PR_SET_NAME, "wcm-agent");
	wcm__own_thread_begin(false);
	__atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);
	wcm__futex_wake(&is_ready, 1);
	do {
		seen = wcm__bell_seen();
		meet_all();
		if (has_clients())
			serve_clients(seen);
		else if (!is_stopping())
			wcm__bell_await(seen, A_YEAR);
	} while (!is_stopping() && !wcm__bell_is_left_alone());
	if (!is_resting)
		dismiss_all();
	wcm__own_thread_end();
	__atomic_store_n(&has_ended, 1, __ATOMIC_RELEASE);
	wcm__futex_wake(&has_ended, 1);
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
		owner = 0;
	}
	is_lost = false;
	errno = kept;
}

/* Whether this process is of one user, who has started it. */
static bool is_of_one_user(void)
{
	uid_t user[3];
	gid_t group[3];

	return !wcm__auxv(AT_SECURE) && getresuid(&user[0], &user[1], &user[2]) == 0 &&
	       getresgid(&group[0], &group[1], &group[2]) == 0 && user[0] == user[1] &&
	       user[0] == user[2] && group[0] == group[1] && group[0] == group[2];
}

/* The thread calls nothing more, for a filter that the program may install at once, until a client
 * comes. */
static bool start_thread(void)
{
	is_ready = has_ended = 0;
	if (!wcm__library_thread_start(&thread, run, STACK_SIZE))
		return false;
	while (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE))
		wcm__futex_wait(&is_ready, 0, SECOND);
	return true;
}

/* Not beside one that has been lost and goes on. */
static bool start_threads(void)
{
	errno = EBUSY;
	is_lost = is_lost && !__atomic_load_n(&has_ended, __ATOMIC_ACQUIRE);
	if (is_lost || !wcm__bell_hang())
		return false;
	stopping = false;
	if (start_thread())
		return true;
	wcm__bell_take_down();
	errno = EAGAIN;
	return false;
}

static bool start(void)
{
	static bool registered;

	for (int i = 0; i < MOST_CLIENTS && !is_lost; i++)
		clients[i].socket.fd = -1;
	if (!is_of_one_user()) {
		errno = EPERM;
		return false;
	}
	if (!registered && pthread_atfork(NULL, NULL, forget) != 0)
		return false;
	registered = true;
	if (!start_threads())
		return false;
	owner = getpid();
	return true;
}

/* A thread that answers a client for long, or closes what one has handed over, is not waited for:
 * it ends by itself, and none begins before. */
static void stop_threads(void)
{
	const uint64_t end = wcm__clock_ns() + MOST_REST;

	__atomic_store_n(&stopping, true, __ATOMIC_RELEASE);
	wcm__bell_take_down();
	while (!__atomic_load_n(&has_ended, __ATOMIC_ACQUIRE) && wcm__clock_ns() < end)
		wcm__futex_wait(&has_ended, 0, PAUSE);
	is_lost = !__atomic_load_n(&has_ended, __ATOMIC_ACQUIRE);
	if (is_lost)
		pthread_detach(thread);
	else
		pthread_join(thread, NULL);
}

enum wcm_status wcm_agent_start(void)
{
	enum wcm_status status = WCM_OK;

	wcm__altstack_expect(2);
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
		stop_threads();
		owner = 0;
	}
	wcm__owner_give_back(&changer);
}

static void complain(const char *text, const char *more)
{
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, "there is no agent");
	wcm__line_text(&line, text);
	wcm__line_name(&line, more);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

int wcm__agent_count(void)
{
	return owner != 0 && owner == getpid() ? 2 : 0;
}

/* Clients and their trace wait.  It is another thread's to start or stop the agent. */
void wcm__agent_rest(void)
{
	if (wcm__agent_count() == 0 ||
	    wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return;
	is_resting = true;
	stop_threads();
}

void wcm__agent_go_on(void)
{
	if (!is_resting)
		return;
	is_resting = false; /* a thread that is lost dismisses its clients */
	if (!start_threads()) {
		if (!is_lost)
			dismiss_all();
		owner = 0;
		if (is_asked_for)
			complain(" any more: ", "its threads made way for a call of the program's, "
						"and no other can begin");
	}
	wcm__owner_give_back(&changer);
}

/* A program that has more privileges than whoever started it does not obey that one's
 * environment. */
__attribute__((constructor)) static void start_from_environment(void)
{
	const char *asked = wcm__setting(NULL, WCM_SET_AGENT);

	if (!asked || strcmp(asked, "no") == 0)
		return;
	if (strcmp(asked, "yes") != 0)
		complain(": WHOCALLME_AGENT takes yes or no, not ", asked);
	else if (wcm_agent_start() != WCM_OK)
		complain(": ", strerror(errno));
	is_asked_for = owner != 0;
}
