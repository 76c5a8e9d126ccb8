/* SPDX-License-Identifier: MIT */
/* bell.c - the pipe by which clients call the agent, and the thread that waits at it.
 *
 * The pipe has no name.  A client opens it in /proc, for each ring anew, and the kernel decides
 * who may: whom it lets read the process by ptrace(2).  With each ring another pipe takes its
 * place, and what comes by one that was made when others could read the process is passed over:
 * nobody keeps what the kernel has granted before.  Nobody else can make the program do
 * anything, be it to wake up.  The thread has a table of descriptors of its own, with the pipe in
 * it and nothing else: it takes no number of the program's and keeps no file of it open, and a
 * program that closes all that it does not know does not close the pipe.
 */
#include "agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os/file.h"
#include "core/os/futex.h"
#include "core/os/mask.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/socket.h"
#include "crash/threads/own_threads.h"
#include "front/library_thread.h"
#include "lines/spawn.h"
#include "trace/process/readers.h"
#include "trace/system/system_calls.h"

enum { STACK_SIZE = 64 * 1024, MOST_RINGS = 16, LISTENING = 0, ROPE_ENDS = 2, ROOM = 4096,
       STAT = 2 /* /proc/self/stat */ };

#define SECOND UINT64_C(1000000000)

static struct {
	uint32_t happened; /* counts what wakes the agent; a futex */
	uint32_t is_hung;  /* a futex: 0 not yet, 1 the pipe is there, or a negated errno */
	uint32_t rung, answered; /* count rings; the agent changes the second */
	struct wcm_bell_ring rings[MOST_RINGS];
	int readers; /* when the pipe was made */
	int tid;
	bool is_over, is_left_alone;
} bell;

static pthread_t thread;
static uint32_t ropes; /* how many there were in this process */

static void wake_agent(void)
{
	__atomic_fetch_add(&bell.happened, 1, __ATOMIC_ACQ_REL);
	wcm__futex_wake(&bell.happened, 1);
}

/* The program's own table goes.  Returns 0 or a negated errno. */
static int leave_table(void)
{
	const int error = wcm__close_all_apart() == 0 ? 0 : wcm__unshare_files();

	if (error == 0)
		wcm__close_from(0); /* where the kernel knows no close_range(2) */
	return error;
}

/* In place of the one before.  Its number is told before anybody can open it.  Returns 0 or a
 * negated errno. */
static int make_rope(void)
{
	int ends[ROPE_ENDS];

	wcm__close(LISTENING);
	wcm__close(WCM_AGENT_ROPE);
	bell.readers = wcm__readers_now();
	__atomic_fetch_add(&ropes, 1, __ATOMIC_SEQ_CST);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0 || fchmod(ends[0], WCM_AGENT_ROPE_MODE) != 0)
		return -errno;
	return ends[1] == WCM_AGENT_ROPE ? 0 : -EMFILE;
}

/* One that finds no place is not answered: its client rings again. */
static void put(const char *bytes)
{
	const uint32_t rung = bell.rung;
	struct wcm_bell_ring *ring = &bell.rings[rung % MOST_RINGS];

	if (rung - __atomic_load_n(&bell.answered, __ATOMIC_ACQUIRE) == MOST_RINGS)
		return;
	memcpy(&ring->ring, bytes, sizeof(ring->ring));
	ring->rope = ropes;
	ring->readers = bell.readers;
	__atomic_store_n(&bell.rung, rung + 1, __ATOMIC_RELEASE);
}

static bool is_ring(const char *bytes)
{
	return memcmp(bytes, WCM_AGENT_RING, strlen(WCM_AGENT_RING)) == 0;
}

/* What is no ring is passed over, byte by byte: who writes it may read the process.  What does not
 * fit is rung again.  False: there is no other pipe. */
static bool take_rings(void)
{
	enum { SIZE = sizeof(struct wcm_agent_ring) };
	char bytes[ROOM];
	long size = wcm__read(LISTENING, bytes, sizeof(bytes)), at = 0;
	bool is_made;

	if (size > 0 && wcm__readers_now() != bell.readers)
		size = 0;
	while (at + SIZE <= size)
		if (is_ring(bytes + at)) {
			put(bytes + at);
			at += SIZE;
		} else {
			at++;
		}
	is_made = make_rope() == 0;
	wake_agent(); /* who finds the next pipe there */
	return is_made;
}

/* Whether the program's first thread has ended. */
static bool has_first_ended(void)
{
	enum { PART = 64 /* the state comes after a name of 15 bytes */ };
	char text[PART];
	const long size = wcm__pread(STAT, text, sizeof(text), 0);

	for (long i = size - 3; i > 0; i--)
		if (text[i] == ')')
			return text[i + 2] == 'Z';
	return false;
}

/* Wait a second at most, and look whether the process has no thread of its own left.  As few system
 * calls do it as there can be: a filter that the program installs may kill it for any.  Where one
 * answers in the kernel's place it is not asked at once again. */
static void wait_for_rings(void)
{
	static const uint32_t never;
	int status, found = wcm__poll(LISTENING, POLLIN, SECOND);

	if (found > 0 && !__atomic_load_n(&bell.is_over, __ATOMIC_ACQUIRE) && !take_rings())
		found = -EMFILE;
	if (found == 0)
		bell.is_left_alone = has_first_ended() && wcm__own_threads_are_alone(&status);
	else if (found < 0 && found != -EINTR)
		wcm__futex_wait(&never, 0, SECOND);
}

static void say_hung(int error)
{
	__atomic_store_n(&bell.is_hung, error < 0 ? (uint32_t)error : 1, __ATOMIC_RELEASE);
	wcm__futex_wake(&bell.is_hung, 1);
}

static void *run(void *unused)
{
	int error;

	wcm__system_calls_pause(); /* all that this thread does is the library's own */
	wcm__own_thread_begin(false);
	bell.tid = wcm__thread_id();
	error = leave_table();
	if (error == 0)
		error = make_rope();
	wcm__open("/proc/self/stat", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (error == 0)
		prctl(PR_SET_NAME, WCM_AGENT_BELL);
	say_hung(error);
	while (error == 0 && !__atomic_load_n(&bell.is_over, __ATOMIC_ACQUIRE) &&
	       !bell.is_left_alone)
		wait_for_rings();
	wake_agent();
	wcm__own_thread_end();
	return unused;
}

bool wcm__bell_hang(void)
{
	uint32_t is_hung;

	memset(&bell, 0, sizeof(bell));
	if (!wcm__library_thread_start(&thread, run, STACK_SIZE)) {
		errno = EAGAIN;
		return false;
	}
	while ((is_hung = __atomic_load_n(&bell.is_hung, __ATOMIC_ACQUIRE)) == 0)
		wcm__futex_wait(&bell.is_hung, 0, SECOND);
	if (is_hung == 1)
		return true;
	pthread_join(thread, NULL);
	errno = -(int)is_hung;
	return false;
}

/* As a client does; where there is no /proc, it looks up within a second.  A pipe that nobody reads
 * any more is that of a bell which is awake. */
static void ring_once(void)
{
	const struct wcm_unheard unheard = wcm__mask_hush();
	char path[64];
	int rope;

	snprintf(path, sizeof(path), "/proc/self/task/%d/fd/%d", bell.tid, WCM_AGENT_ROPE);
	rope = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (rope >= 0) {
		wcm__write(rope, "", 1);
		close(rope);
	}
	wcm__mask_hear(unheard, true);
}

void wcm__bell_take_down(void)
{
	__atomic_store_n(&bell.is_over, true, __ATOMIC_RELEASE);
	ring_once();
	pthread_join(thread, NULL);
}

uint32_t wcm__bell_seen(void)
{
	return __atomic_load_n(&bell.happened, __ATOMIC_ACQUIRE);
}

void wcm__bell_await(uint32_t seen, uint64_t ns)
{
	wcm__futex_wait(&bell.happened, seen, ns);
}

uint32_t wcm__bell_rope(void)
{
	return __atomic_load_n(&ropes, __ATOMIC_SEQ_CST);
}

bool wcm__bell_answer(struct wcm_bell_ring *ring)
{
	const uint32_t answered = bell.answered;

	if (answered == __atomic_load_n(&bell.rung, __ATOMIC_ACQUIRE))
		return false;
	*ring = bell.rings[answered % MOST_RINGS];
	__atomic_store_n(&bell.answered, answered + 1, __ATOMIC_RELEASE);
	return true;
}

bool wcm__bell_is_left_alone(void)
{
	return __atomic_load_n(&bell.is_left_alone, __ATOMIC_ACQUIRE);
}
