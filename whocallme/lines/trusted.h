/* SPDX-License-Identifier: MIT */
/* trusted.h - files that no other user can have put where they are. */
#ifndef WCM_LINES_TRUSTED_H
#define WCM_LINES_TRUSTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's struct statx, of any CPU: not every libc has it. */
struct wcm_file_status {
	uint32_t known, of_no_use[4], owner, group;
	uint16_t mode, of_no_use_either;
	uint64_t inode, and_more[12];
	uint32_t device_major, device_minor;
	uint64_t and_still_more[14];
};

_Static_assert(offsetof(struct wcm_file_status, owner) == 20 &&
		       offsetof(struct wcm_file_status, mode) == 28 &&
		       offsetof(struct wcm_file_status, inode) == 32 &&
		       offsetof(struct wcm_file_status, device_major) == 136 &&
		       sizeof(struct wcm_file_status) == 256,
	       "as linux/stat.h has it");

/* Of the file NAME in the directory FD; with an empty name, of the file FD.  What the
 * kernel, or its filter, does not say stays zero.  Returns 0 or a negative errno. */
long wcm__file_status(long fd, const char *name, struct wcm_file_status *status);

/* Which file it is, and whose. */
struct wcm_file_id {
	uint64_t device, inode;
	uint32_t owner;
};

struct wcm_file_id wcm__file_id(const struct wcm_file_status *status);
bool wcm__file_is(const struct wcm_file_id *file, const struct wcm_file_id *other);

/* Why a file is not trusted: as negative numbers, below those of errno. */
enum wcm_refusal {
	WCM_REFUSED_OWNER = 4096, /* it or a directory above is another's */
	WCM_REFUSED_WRITABLE,     /* others may write one of them */
	WCM_REFUSED_EXCHANGED,    /* it is not what it was */
	WCM_REFUSED_ROOT,         /* the process has another root directory, */
	WCM_REFUSED_IDS,          /* other user or group ids, */
	WCM_REFUSED_CAPABILITIES, /* other capabilities than at its start */
};

enum { WCM_TRUSTED_ROOM = 2 * 4096 }; /* of PATH_MAX */

/* Open the regular file PATH, an absolute one, by O_PATH, where it and each directory and
 * symbolic link on the way to it belongs to root or USER, and nobody else may write it.
 * Everybody may write a directory whose entries only their owners can exchange, as /tmp.
 * ROOM is for the path.  Returns a descriptor, and its STATUS, or a negative errno or
 * refusal. */
long wcm__trusted_open(const char *path, uint32_t user, char room[WCM_TRUSTED_ROOM],
		       struct wcm_file_status *status);

#endif
