/* SPDX-License-Identifier: MIT */
/* peer.c - the agent's socket, and who is at its other end.
 *
 * An abstract name has no owner, and anybody may connect: what decides is SO_PEERCRED.  A
 * process that has changed its user or group since answers nobody, because what it writes
 * would be written with rights that the client may not have.
 */
#include "agent/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/os/auxv.h"
#include "format/agent_protocol.h"

struct ids {
	uid_t user[3]; /* real, effective, saved */
	gid_t group[3];
};

static struct ids noted;

static bool find(struct ids *ids)
{
	memset(ids, 0, sizeof(*ids));
	return getresuid(&ids->user[0], &ids->user[1], &ids->user[2]) == 0 &&
	       getresgid(&ids->group[0], &ids->group[1], &ids->group[2]) == 0;
}

/* In a user namespace all users from outside look like one, which may be this one's number. */
static bool is_everybody(uid_t user)
{
	char map[64] = "";
	unsigned long inside, outside, size;
	const int fd = user == 65534 ? open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC) : -1;
	ssize_t length;

	if (fd < 0)
		return false;
	length = read(fd, map, sizeof(map) - 1);
	close(fd);
	return length <= 0 || sscanf(map, "%lu %lu %lu", &inside, &outside, &size) != 3 ||
	       size < UINT32_MAX;
}

bool wcm__peer_note_user(void)
{
	return find(&noted) && !is_everybody(noted.user[1]) && !wcm__auxv(AT_SECURE) &&
	       noted.user[0] == noted.user[1] && noted.user[0] == noted.user[2] &&
	       noted.group[0] == noted.group[1] && noted.group[0] == noted.group[2];
}

int wcm__peer_move_away(int fd)
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

static bool bind_name(int fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	uint64_t random;
	int length;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		return false;
	length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
			  WCM_AGENT_NAME "%ld/%016llx", (long)getpid(),
			  (unsigned long long)random);
	return bind(fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0;
}

int wcm__peer_listen(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

	if (fd < 0)
		return -1;
	fd = wcm__peer_move_away(fd);
	if (bind_name(fd) && listen(fd, SOMAXCONN) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

bool wcm__peer_is_trusted(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	struct ids now;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       size == sizeof(peer) && find(&now) && memcmp(&now, &noted, sizeof(now)) == 0 &&
	       peer.uid == now.user[1];
}
