/* SPDX-License-Identifier: MIT */
/* find_agent.c - calls the agent of a running process, and is connected to.
 *
 * The kernel decides in /proc who may call (format/agent_protocol.h).  Whoever connects is believed
 * if the kernel says that it is the process asked for: the name of this command's socket is
 * anybody's to read and to connect to.
 */
#include "agent/find_agent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "agent/at_once.h"
#include "base/complain.h"
#include "format/agent_protocol.h"

/* How long an agent may take: to load the names of a large program takes some seconds. */
enum { PATIENCE = 60 * 1000, PAUSE = 10, /* milliseconds */
       MOST_TRIES = 30, MOST_TRIES_THERE = 300, /* to find a bell, which may be hung anew */
       NAME_ROOM = 128, QUEUE = 128 };

bool agent_read_pid(const char *text, long *pid)
{
	const size_t digits = strspn(text, "0123456789");

	*pid = digits > 0 && digits < 10 && !text[digits] ? atol(text) : 0;
	return *pid > 0;
}

static FILE *open_file(long pid, const char *name)
{
	char path[NAME_ROOM];

	snprintf(path, sizeof(path), "/proc/%ld/%.60s", pid, name);
	return fopen(path, "re");
}

/* The number that is AFTER others in the line NAME of the status of PID; -1: it is not known. */
static long read_status(long pid, const char *name, int after)
{
	FILE *file = open_file(pid, "status");
	char line[512], *at = NULL, *end;
	long number = -1;

	while (file && !at && fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0)
			at = line + strlen(name);
	if (file)
		fclose(file);
	for (int i = 0; at && i <= after; i++, at = end) {
		number = strtol(at, &end, 10);
		if (end == at)
			return -1;
	}
	return number;
}

long agent_user(long pid)
{
	return read_status(pid, "Uid:", 1);
}

/* By a signal, or a debugger: proc_pid_stat(5). */
static bool is_stopped(long pid)
{
	char line[256] = "";
	const char *name_end;
	FILE *file = open_file(pid, "stat");

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	name_end = strrchr(line, ')');
	return name_end && name_end[1] == ' ' && (name_end[2] == 'T' || name_end[2] == 't');
}

int64_t agent_clock(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_bell(long pid, const char *task)
{
	char path[NAME_ROOM], name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "task/%.20s/comm", task);
	file = open_file(pid, path);
	if (file && !fgets(name, sizeof(name), file))
		name[0] = '\0';
	if (file)
		fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return strcmp(name, WCM_AGENT_BELL) == 0;
}

/* The thread that waits for clients; 0: there is none. */
static long find_bell(long pid)
{
	char path[NAME_ROOM];
	const struct dirent *entry = NULL;
	long tid = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%ld/task", pid);
	folder = opendir(path);
	while (folder && tid == 0 && (entry = readdir(folder)))
		if (is_bell(pid, entry->d_name))
			tid = atol(entry->d_name);
	if (folder)
		closedir(folder);
	return tid;
}

/* Whether SEEN, which has PATH in /proc, is a pipe that another process has not put there for this
 * one to write to: only who owns a pipe gives it this mode.  A pipe without a name is known by what
 * the kernel has in its place; fstat(2) of anything else may wait for who serves a file system. */
static bool is_rope(const char *path, int seen)
{
	static const char nameless[] = "pipe:[";
	char name[sizeof(nameless) - 1];
	struct stat found;

	return readlink(path, name, sizeof(name)) == sizeof(name) &&
	       memcmp(name, nameless, sizeof(name)) == 0 && fstat(seen, &found) == 0 &&
	       S_ISFIFO(found.st_mode) && (found.st_mode & 07777) == WCM_AGENT_ROPE_MODE;
}

/* What is there is opened only when it is known for a pipe: to open a device does things. */
static int open_rope(long pid, long tid)
{
	char path[NAME_ROOM];
	int seen, error, fd = -1;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/fd/%d", pid, tid, WCM_AGENT_ROPE);
	seen = open(path, O_PATH | O_CLOEXEC);
	if (seen < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", seen);
	errno = ENOENT;
	if (is_rope(path, seen))
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	error = errno;
	close(seen);
	errno = error;
	return fd;
}

/* Listen under the name of RING. */
static int listen_as(const struct wcm_agent_ring *ring)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
				    WCM_AGENT_NAME "%016" PRIx64, ring->name);
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 &&
	    bind(fd, (struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0 &&
	    listen(fd, QUEUE) == 0)
		return fd;
	complain("a socket: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool is_of(int fd, long pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       size == sizeof(peer) && peer.pid == pid;
}

/* Whether PID shares the namespace NAME with this process; true where that is not known. */
static bool shares(long pid, const char *name)
{
	char path[64], ours[64], theirs[64];
	ssize_t length, other;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	length = readlink(path, ours, sizeof(ours));
	snprintf(path, sizeof(path), "/proc/%ld/ns/%s", pid, name);
	other = readlink(path, theirs, sizeof(theirs));
	return length <= 0 || other <= 0 ||
	       (length == other && memcmp(ours, theirs, (size_t)length) == 0);
}

/* ERROR is what the kernel says of its pipe, 0: it has none. */
static void complain_of_none(long pid, int error)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld", pid);
	if (access(path, F_OK) != 0)
		complain("process %ld: %s", pid, strerror(ESRCH));
	else if (error == EACCES || error == EPERM)
		complain("process %ld: the kernel does not let this user read it (ptrace(2)), and "
			 "its agent answers nobody else", pid);
	else
		complain("process %ld has no agent; start it by whocallme trace --agent, or with "
			 "WHOCALLME_AGENT=yes if libwhocallme is linked, or let it call "
			 "wcm_agent_start()", pid);
}

/* The kernel has a folder in /proc for each thread, too, but who answers is the process. */
static bool is_process(long pid)
{
	const long process = read_status(pid, "Tgid:", 0);

	if (process < 0 || process == pid)
		return true;
	complain("%ld is a thread of process %ld; name that: -p %ld", pid, process,
		 process);
	return false;
}

/* A pipe that has just been replaced has no reader. */
static bool write_ring(int rope, const struct wcm_agent_ring *ring)
{
	const struct timespec none = { 0 };
	sigset_t pipe, before;
	bool done;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, &before);
	done = write(rope, ring, sizeof(*ring)) == sizeof(*ring);
	if (!done && errno == EPIPE && !sigismember(&before, SIGPIPE))
		sigtimedwait(&pipe, NULL, &none);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return done;
}

/* The pipe is another one after each ring, and the bell another thread when the program has changed
 * what its threads may. */
bool agent_ring(long pid, const struct wcm_agent_ring *ring)
{
	bool is_there = false;
	int rope, error = 0;

	for (int i = 0; i < (is_there ? MOST_TRIES_THERE : MOST_TRIES); i++) {
		const long tid = find_bell(pid);
		bool done;

		is_there = is_there || tid != 0;
		rope = tid ? open_rope(pid, tid) : -1;
		error = tid ? errno : 0;
		done = rope >= 0 && write_ring(rope, ring);
		if (rope >= 0)
			close(rope);
		if (done)
			return true;
		if (rope < 0 && (error == EACCES || error == EPERM))
			break;
		poll(NULL, 0, PAUSE);
	}
	complain_of_none(pid, error);
	return false;
}

int agent_await(long pid, int fd, const struct wcm_agent_ring *ring, int64_t since)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	int found = 0;

	while (found == 0 && agent_clock() < since + PATIENCE) {
		found = poll(&polled, 1, WCM_AGENT_PAUSE);
		if (found == 0 && is_stopped(pid))
			break;
		if (found == 0 && !agent_ring(pid, ring))
			return -1;
	}
	if (found == 0 && is_stopped(pid))
		complain("process %ld is stopped; it answers after kill -CONT", pid);
	else if (found == 0)
		complain("process %ld does not answer", pid);
	return found;
}

/* Others may connect, too, and are let go. */
static int accept_from(long pid, int listening, const struct wcm_agent_ring *ring)
{
	const int64_t since = agent_clock();
	int fd;

	while (agent_await(pid, listening, ring, since) > 0) {
		fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0 && is_of(fd, pid))
			return fd;
		if (fd >= 0)
			close_at_once(fd);
	}
	return -1;
}

/* Have the agent connect, and show that this is who has rung. */
int agent_connect(long pid, struct wcm_agent_ring *ring)
{
	int listening, fd = -1;

	if (!is_process(pid))
		return -1;
	if (find_bell(pid) && !shares(pid, "net")) {
		complain("process %ld is in another network namespace, from where its agent does "
			 "not reach this one; ask there: nsenter -t %ld -n", pid, pid);
		return -1;
	}
	memcpy(ring->magic, WCM_AGENT_RING, sizeof(ring->magic));
	if (getrandom(&ring->name, sizeof(ring->name), 0) != sizeof(ring->name) ||
	    getrandom(ring->token, sizeof(ring->token), 0) != sizeof(ring->token)) {
		complain("getrandom: %s", strerror(errno));
		return -1;
	}
	listening = listen_as(ring);
	if (listening < 0)
		return -1;
	if (agent_ring(pid, ring))
		fd = accept_from(pid, listening, ring);
	close_at_once(listening);
	return fd;
}

bool agent_shares_files(long pid)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/root", pid);
	if (shares(pid, "mnt") &&
	    (stat("/", &ours) != 0 || stat(path, &theirs) != 0 ||
	     (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)))
		return true;
	complain("process %ld has other directories than this one, and would not write where "
		 "it is asked to; --log, --pairs, --addresses and --graph are written from here",
		 pid);
	return false;
}
