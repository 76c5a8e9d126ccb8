/* SPDX-License-Identifier: MIT */
/* find_agent.c - connects to the agent of a running process.
 *
 * Names of the agents' form may be anybody's.  Each is tried, and one is believed if the kernel
 * says that the process asked for listens there, and that it is of this user: root is no
 * exception, for whom a user's process could otherwise answer anything.
 */
#include "agent/find_agent.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/complain.h"
#include "format/agent_protocol.h"

bool agent_read_pid(const char *text, long *pid)
{
	const size_t digits = strspn(text, "0123456789");

	*pid = digits > 0 && digits < 10 && !text[digits] ? atol(text) : 0;
	return *pid > 0;
}

static FILE *open_file(long pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
	return fopen(path, "re");
}

/* What /proc says of a process: whose it is, and its number in its own PID namespace. */
static bool read_status(long pid, long *user, long *own_pid)
{
	FILE *file = open_file(pid, "status");
	char line[512];

	*own_pid = pid;
	*user = -1;
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "NSpid:", 6) == 0)
			*own_pid = atol(strrchr(line, '\t'));
		else
			sscanf(line, "Uid: %*d %ld", user);
	}
	if (file)
		fclose(file);
	return *user >= 0;
}

static bool is_of(int fd, long pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       size == sizeof(peer) && peer.pid == pid && peer.uid == geteuid();
}

/* A socket that leads to who listens under NAME, if that is PID; -1: it is not. */
static int try_name(const char *name, long pid)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const size_t length = strlen(name);
	int fd;

	if (length >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path + 1, name, length);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0 &&
	    is_of(fd, pid))
		return fd;
	close(fd);
	return -1;
}

/* Lines of /proc/PID/net/unix end with a name, "@" being for the byte that an abstract one
 * begins with. */
static int find(long pid, long own_pid)
{
	FILE *file = open_file(pid, "net/unix");
	char prefix[64], line[512];
	const char *name;
	int fd = -1;

	snprintf(prefix, sizeof(prefix), " @" WCM_AGENT_NAME "%ld/", own_pid);
	while (file && fd < 0 && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		name = strstr(line, prefix);
		if (name)
			fd = try_name(name + 2, pid);
	}
	if (file)
		fclose(file);
	return fd;
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

static void complain_of_none(long pid)
{
	if (!shares(pid, "net"))
		complain("process %ld is in another network namespace, whose agents are not "
			 "seen from here; ask there: nsenter -t %ld -n", pid, pid);
	else
		complain("process %ld has no agent; start it by whocallme trace --agent, or with "
			 "WHOCALLME_AGENT=yes if libwhocallme is linked, or let it call "
			 "wcm_agent_start()", pid);
}

int agent_connect(long pid)
{
	long user, own_pid;
	int fd;

	if (!read_status(pid, &user, &own_pid)) {
		complain("process %ld: %s", pid, strerror(ESRCH));
		return -1;
	}
	if (user != (long)geteuid()) {
		complain("process %ld is of user %ld, and an agent answers its own user alone",
			 pid, user);
		return -1;
	}
	fd = find(pid, own_pid);
	if (fd < 0)
		complain_of_none(pid);
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
		 "it is asked to; --log, --pairs and --addresses are written from here", pid);
	return false;
}
