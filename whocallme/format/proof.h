/* SPDX-License-Identifier: MIT */
/* proof.h (SAFE) - checks that a folder is a recording that may be put aside.
 *
 * What a program is told to record to may be anything.  A recording is a folder of this
 * user's own that nobody else may write to, with our marker in it and nothing that is of
 * no recording.
 */
#ifndef WCM_FORMAT_PROOF_H
#define WCM_FORMAT_PROOF_H

#include <stdbool.h>

enum { WCM_MARKER_ID = 16 /* digits */ };

#define WCM_MARKER "whocallme"

/* What the marker of a recording says: a number, the first process, when that was
 * started, and the namespace that it has its number in, or 0. */
struct wcm_marker {
	char id[WCM_MARKER_ID + 1];
	long pid;
	unsigned long long start, namespace;
};

/* Why the folder that is open as FD is not this user's alone; NULL: it is. */
const char *wcm__proof_is_shared(int fd);

/* Whether the recording FD, which is this user's alone, has a marker; *MARKER gets it. */
bool wcm__proof_marker(int fd, struct wcm_marker *marker);

/* Whether files of recordings are named NAME. */
bool wcm__proof_is_known(const char *name);

/* Whether FD has no files. */
bool wcm__proof_is_empty(int fd);

/* What is not proven to be a recording, or cannot be put aside. */
struct wcm_obstacle {
	const char *why; /* NULL: nothing is in the way */
	bool is_old;     /* it is with what was put aside before */
};

/* Whether NAME in the folder FOLDER is a recording that can be renamed NAME.old, where an
 * older one may have to go.  FORCE: it has been asked for; else NAME is to be that which
 * recordings have by default. */
struct wcm_obstacle wcm__proof_of_room(int folder, const char *name, bool force);

/* Do that. */
struct wcm_obstacle wcm__proof_make_room(int folder, const char *name, bool force);

#endif
