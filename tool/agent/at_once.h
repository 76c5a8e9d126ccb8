/* SPDX-License-Identifier: MIT */
/* at_once.h - closes what another process has a part in, without waiting for that one. */
#ifndef WCM_TOOL_AT_ONCE_H
#define WCM_TOOL_AT_ONCE_H

#include <sys/socket.h>

/* As close(2) and recvmsg(2), which may close a socket that lingers for good: FD, one in its queue,
 * or one of those that come with a packet and have no room. */
void close_at_once(int fd);
ssize_t receive_at_once(int fd, struct msghdr *message, int flags);

#endif
