/* SPDX-License-Identifier: MIT */
/* spawn.h (SAFE) - starts another program, from a process in any state. */
#ifndef WCM_LINES_SPAWN_H
#define WCM_LINES_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/os/file_id.h"
#include "format/path.h"

/* A helper program at the other end of a stream socket. */
struct wcm_spawned {
	int fd;  /* our end, close-on-exec; -1: none */
	int pid; /* 0: unknown.  It is no child of ours, unless this process is an init or
		  * a subreaper: it leaves no zombie, raises no SIGCHLD and is in
		  * nobody's wait(2) */
	dev_t device; /* of FD: this process may close all descriptors */
	ino_t inode;
};

/* What the children that start it run on.  Not for two threads at once; too much for
 * the stack of a signal handler. */
struct wcm_spawn_stacks {
	struct {
		_Alignas(64) unsigned char bytes[4096];
	} stack[2];
	struct wcm_path entry;
};

/* What is to be started, as it was while the process was well. */
struct wcm_spawn_file {
	const char *path;
	struct wcm_file_id id;
	long error; /* negative: there was none to be started */
};

/* Note the file at PATH, which must live as long as the answer; ENTRY is used
 * meanwhile. */
struct wcm_spawn_file wcm__spawn_file(const char *path, struct wcm_path *entry);

/* The file is not what it was: beyond the numbers of errno, format/path.h and
 * core/os/identity.h. */
enum { WCM_SPAWN_EXCHANGED = 6000 };

/* Where what it complains of goes. */
enum wcm_spawn_errors { WCM_ERRORS_NOWHERE, WCM_ERRORS_SOCKET };

/* Start FILE with ARGUMENTS and ENVIRONMENT (NULL at the end of each): its stdin and
 * stdout are the socket, its stderr as ERRORS says, all else closed; no signal blocked,
 * ignored or handled; its directory is the root, it can gain no privileges, and is of
 * the real user.  No atfork handlers run, no memory is allocated.  Returns 0, or the
 * negative number of what kept it from starting: an error, that of execve(2) among them;
 * others may write the file; it, or the process itself, is not what it was; -ECHILD
 * where it was killed.  Thread-safe. */
int wcm__spawn(struct wcm_spawned *spawned, struct wcm_spawn_stacks *stacks,
	       enum wcm_spawn_errors errors, const struct wcm_spawn_file *file,
	       const char *const arguments[], const char *const environment[]);

/* Close all descriptors from FIRST on. */
void wcm__close_from(unsigned first);

/* Whether the descriptor is still what it was. */
bool wcm__spawned_is_there(const struct wcm_spawned *spawned);

/* Close the socket, unless it has become something else.  KILL: the helper may be
 * stuck, and is killed where it has not ended by itself. */
void wcm__spawned_end(struct wcm_spawned *spawned, bool kill);

#endif
