/* SPDX-License-Identifier: MIT */
/* at_once.h - closes sockets that are shared with another process without waiting. */
#ifndef WCM_TOOL_AT_ONCE_H
#define WCM_TOOL_AT_ONCE_H

#include <sys/socket.h>

/* As close(2) and recvmsg(2) with MSG_DONTWAIT.  Each may close the last reference to a socket that
 * lingers: FD, one in its queue, or one that comes with a message and has no room. */
void close_at_once(int fd);
ssize_t receive_at_once(int fd, struct msghdr *message, int flags);

#endif
