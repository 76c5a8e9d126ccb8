/* SPDX-License-Identifier: MIT */
/* spawn.h - another program, started from a process in any state. */
#ifndef WCM_LINES_SPAWN_H
#define WCM_LINES_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A program at the other end of a stream socket. */
struct wcm_spawned {
	int fd;  /* our end, close-on-exec; -1: none */
	int pid; /* 0: unknown.  It is no child of ours: it leaves no zombie, raises no
		  * SIGCHLD and is in nobody's wait(2) */
	dev_t device; /* of FD: the program may close all descriptors */
	ino_t inode;
};

/* Start the file PATH with ARGUMENTS and ENVIRONMENT (NULL at the end of each): its
 * stdin and stdout are the socket, its stderr /dev/null, all else closed; no signal
 * blocked, ignored or handled.  No atfork handlers run, no memory is allocated.
 * Returns 0, or the negative number of the error that kept it from starting, that
 * of execve(2) among them; -ECHILD where it was killed.  Thread-safe. */
int wcm__spawn(struct wcm_spawned *spawned, const char *path,
	       const char *const arguments[], const char *const environment[]);

/* Whether the descriptor is still what it was. */
bool wcm__spawned_is_there(const struct wcm_spawned *spawned);

/* Close the socket, unless it has become something else.  KILL: the program may be
 * stuck, and is killed where it has not ended by itself. */
void wcm__spawned_end(struct wcm_spawned *spawned, bool kill);

#endif
