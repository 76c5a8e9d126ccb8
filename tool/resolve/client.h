/* SPDX-License-Identifier: MIT */
/* client.h - identifies the program that asks, and ends when it has fewer rights than
 * at the start.
 */
#ifndef WCM_TOOL_CLIENT_H
#define WCM_TOOL_CLIENT_H

#include <stddef.h>
#include <sys/types.h>

/* The id of the program at the other end of the socket stdin, 0 where that is none. */
long client_id(void);

/* As read(2), which it is where FD is no socket of a program.  This process may have been
 * started while that program had more rights than it has now: then it ends here. */
ssize_t client_read(int fd, void *room, size_t size);

#endif
