/* SPDX-License-Identifier: MIT */
/* record_files.h (SAFE) - opens the files of the directory that this process records to.
 *
 * All of it may be called while the program runs, in any thread and in any state.
 */
#ifndef WCM_RECORD_RECORD_FILES_H
#define WCM_RECORD_RECORD_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { WCM_SESSION_DIGITS = 16 };

struct wcm_recording {
	char directory[PATH_MAX]; /* from the root, without links */
	uint64_t device, inode;   /* the directory's, to be known by */
	uint64_t namespace;       /* that tasks have their numbers in; 0: unknown */
	char session[WCM_SESSION_DIGITS + 1];
	uint64_t start;  /* of the session */
	uint64_t execve; /* in the session before, in this process; or 0 */
	uint64_t fork;   /* where fork(2) is */
	uint32_t most;  /* bytes of a window */
	int pid;        /* the process whose tasks are written */
	uint64_t refused; /* times that the lock was not had */
	uint64_t unended; /* calls whose ends nobody tells of, as far as they are counted */
	bool failed;    /* and nothing is recorded any more */
	bool has_data;  /* behind records, which says what calls were given */
};

extern struct wcm_recording wcm__recording;

/* The namespace that this process has its number in, or 0; and whether that is the
 * recording's: in others, the same numbers are those of other tasks. */
uint64_t wcm__recording_namespace(void);
bool wcm__recording_is_here(void);

/* Open the directory itself, FLAGS as for open(2), or its file NAME, which is to be a
 * regular one of this user's own.  No link is followed, and what has taken the directory's
 * place since the recording began is not it (-ENOENT).  Returns a descriptor,
 * or a negated errno. */
int wcm__recording_open_directory(int flags);
int wcm__recording_open_file(const char *name, int flags);

/* The lock of the file `info`, which several processes change: waited for, but not for long, as a
 * process that is no more may have left it to a child.  It is that of a file which nobody else may
 * open, as who may read a file may lock it.  Returns a descriptor for wcm__recording_unlock(), or a
 * negated errno: who has not got it leaves `info` alone, and is counted. */
int wcm__recording_lock(void);

/* The same for what may as well stay undone: it is not counted. */
int wcm__recording_try_lock(void);
void wcm__recording_unlock(int lock);

/* The same for thread TID's records. */
int wcm__recording_open_records(int tid, int flags);

/* Keep, in a file of its own, where thread TID's records END, which the next program of the thread
 * cannot see; take that, which is then forgotten, or 0. */
void wcm__recording_note_end(int tid, uint64_t end);
uint64_t wcm__recording_take_end(int tid);

/* Nothing can be recorded any more: ERROR, a negated errno, is why.  Said once. */
void wcm__recording_fail(int error);

/* record_apart.c: puts system calls of children that have this process's memory into the
 * recording. */

struct wcm_system_call;

/* See sink.h. */
void wcm__record_apart(int child, bool *is_known, struct wcm_system_call *call, uint64_t begin,
		       uint64_t now);

#endif
