/* SPDX-License-Identifier: MIT */
/* identity.h (SAFE) - the ids, capabilities and root directory of the process, and their
 * changes. */
#ifndef WCM_OS_IDENTITY_H
#define WCM_OS_IDENTITY_H

#include <stdint.h>

/* What is another now than at the process's start: beyond the numbers of errno and of
 * format/path.h. */
enum {
	WCM_CHANGED_ROOT = 5000, /* the root directory */
	WCM_CHANGED_IDS,         /* a user or group id */
	WCM_CHANGED_CAPABILITIES,
};

/* Note whose process it is, what it may do, and where its root directory is, while that
 * is as it was at its start.  Idempotent; done at the latest when the library is
 * loaded. */
void wcm__identity_note(void);

/* 0, or the negative number of what is another now for the calling thread, which has made
 * the socket FD, or of what keeps that from being known. */
long wcm__identity_check(int fd);

/* The real user. */
uint32_t wcm__identity_user(void);

/* In a process that is to become another program: give up all that the real user has
 * not by itself, unless it is root, and what a program's file may give.  Returns 0 or a
 * negative errno. */
long wcm__identity_reduce(void);

#endif
