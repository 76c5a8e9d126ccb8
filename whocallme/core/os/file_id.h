/* SPDX-License-Identifier: MIT */
/* file_id.h (SAFE) - identifies a file, and its owner. */
#ifndef WCM_OS_FILE_ID_H
#define WCM_OS_FILE_ID_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/os/kernel.h"

/* The kernel's struct statx, of any CPU: not every libc has it. */
struct wcm_file_status {
	uint32_t known, of_no_use[3], links, owner, group;
	uint16_t mode, of_no_use_either;
	uint64_t inode, size, blocks, and_more[3];
	int64_t born; /* in seconds since 1970, where WCM_FILE_BIRTH is known */
	uint32_t born_ns, of_no_use_at_all;
	uint64_t and_yet_more[2];
	int64_t modified;
	uint32_t modified_ns, and_nothing;
	uint32_t of_device_major, of_device_minor; /* that a special file is */
	uint32_t device_major, device_minor;
	uint64_t and_still_more[14];
};

_Static_assert(offsetof(struct wcm_file_status, owner) == 20 &&
		       offsetof(struct wcm_file_status, mode) == 28 &&
		       offsetof(struct wcm_file_status, inode) == 32 &&
		       offsetof(struct wcm_file_status, born) == 80 &&
		       offsetof(struct wcm_file_status, modified) == 112 &&
		       offsetof(struct wcm_file_status, device_major) == 136 &&
		       sizeof(struct wcm_file_status) == 256,
	       "as linux/stat.h has it");

/* Bits of what is known: STATX_BASIC_STATS and STATX_BTIME. */
enum { WCM_FILE_BASIC = 0x7ff, WCM_FILE_BIRTH = 0x800 };

enum { WCM_EMPTY_PATH = 0x1000 /* AT_EMPTY_PATH */ };

/* As statx(2).  What the kernel, or its filter, does not say stays zero. */
static inline long wcm__file_status_of(long fd, const char *name, int flags,
				       struct wcm_file_status *status)
{
	memset(status, 0, sizeof(*status));
	return WCM_SYSCALL(SYS_statx, fd, name, flags, WCM_FILE_BASIC | WCM_FILE_BIRTH, status);
}

/* Of the file NAME in the directory FD; with an empty name, of the file FD.  Returns 0
 * or a negated errno. */
static inline long wcm__file_status(long fd, const char *name,
				    struct wcm_file_status *status)
{
	return wcm__file_status_of(fd, name, WCM_EMPTY_PATH, status);
}

struct wcm_file_id {
	uint64_t device, inode;
	uint32_t owner;
};

static inline struct wcm_file_id wcm__file_id(const struct wcm_file_status *status)
{
	return (struct wcm_file_id){
		.device = (uint64_t)status->device_major << 32 |
			  status->device_minor,
		.inode = status->inode,
		.owner = status->owner,
	};
}

static inline bool wcm__file_is(const struct wcm_file_id *file,
				const struct wcm_file_id *other)
{
	return file->device == other->device && file->inode == other->inode &&
	       file->owner == other->owner;
}

#endif
