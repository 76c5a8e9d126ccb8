/* SPDX-License-Identifier: MIT */
/* path.h (SAFE) - follows a path part by part, past what other users may have put in its way.
 *
 * A link is followed if this user or root has made it, and in a folder where nobody else
 * could have put it: the kernel's protected_symlinks, whether or not they are on, and for
 * all parts of the path.
 */
#ifndef WCM_FORMAT_PATH_H
#define WCM_FORMAT_PATH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum { WCM_PATH_ROOM = 4096 /* PATH_MAX */ };

struct wcm_path {
	int folder;         /* a descriptor of what the last part is in */
	struct stat around; /* of the folder */
	struct stat found;  /* of the last part, if it is there */
	const char *name;   /* the last part, in PATH */
	bool is_there;
	bool magic;     /* the last part is a link of the kernel's to what is open */
	bool guarded;   /* wcm__path_open_guarded() looks for it, */
	unsigned user;  /* for this user */
	unsigned links; /* that were followed */
	char path[WCM_PATH_ROOM]; /* from where the walk began, without links */
	char rest[2 * WCM_PATH_ROOM];
};

/* Find PATH, from the present directory where it is not absolute; FOLLOW, also where its
 * last part is a link.  Returns 0, for wcm__path_leave(), or a negated errno: -EXDEV where
 * ENTRY's path is another user's link. */
int wcm__path_find(struct wcm_path *entry, const char *path, bool follow);

void wcm__path_leave(struct wcm_path *entry);

/* What keeps a file from being opened by wcm__path_open_guarded(), beyond the numbers of
 * errno. */
enum {
	WCM_PATH_OF_ANOTHER = 4096, /* it, or what leads to it, is another user's */
	WCM_PATH_WRITABLE,          /* others may write one of them */
};

/* Open the regular file PATH, which is absolute, where it and every folder and link on the
 * way to it is root's or USER's, and nobody else may write to them: but for a folder in
 * which others cannot rename what is not theirs, as /tmp.  ENTRY is for the way.  Returns
 * a descriptor, or a negated number. */
int wcm__path_open_guarded(struct wcm_path *entry, const char *path, unsigned user,
			   int flags);

/* Whether what is there, or the folder where links led, is what another user may have put
 * there for this one to write to: the words for it, NULL where nothing is wrong. */
const char *wcm__path_trap(const struct wcm_path *entry);

/* The same of FD, which was opened there: it may be another one by now.  A regular file is
 * to be written to by nobody else, either: who cuts it off while it is mapped ends the
 * process. */
const char *wcm__path_trap_opened(const struct wcm_path *entry, int fd);

/* Open what is there, or make it; FLAGS and the result as of openat(2), or a negated
 * errno. */
int wcm__path_open(const struct wcm_path *entry, int flags, unsigned mode);

/* Whether UID is this user, or root. */
bool wcm__path_is_trusted(unsigned uid);

/* 0 where the file open as FD is a regular one of this user's own that has one name;
 * else a negated errno: -EINVAL, -EMLINK.  Another one may be one that is not to be
 * written to. */
int wcm__path_check_own(int fd);

#endif
