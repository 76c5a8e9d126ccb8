/* SPDX-License-Identifier: MIT */
/* peer.h - the agent's socket, and who is at its other end. */
#ifndef WCM_AGENT_PEER_H
#define WCM_AGENT_PEER_H

#include <stdbool.h>

/* Note whose process this is.  False where that is not one user alone, or one with more
 * privileges than whoever started the process. */
bool wcm__peer_note_user(void);

/* A descriptor in place of FD that is out of the program's way; FD itself where there is none. */
int wcm__peer_move_away(int fd);

/* A socket that listens under a name of its own; -1, with errno. */
int wcm__peer_listen(void);

/* Whether who has connected to FD is to be answered: the user that this process is of, and was
 * of when it was noted. */
bool wcm__peer_is_trusted(int fd);

#endif
