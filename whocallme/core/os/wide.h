/* SPDX-License-Identifier: MIT */
/* wide.h (SAFE) - makes the system calls that a 32-bit kernel has in a narrow and a wide form.
 *
 * It always makes the wide one.  WCM_WIDE(value), within WCM_SYSCALL() alone, passes a number of
 * 64 bits to a 32-bit kernel as two arguments, the lower half first; _llseek and mmap2 have an
 * order and a unit of their own.
 */
#ifndef WCM_OS_WIDE_H
#define WCM_OS_WIDE_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/os/file_id.h"
#include "core/os/kernel.h"

#if UINTPTR_MAX > UINT32_MAX

#define WCM_OPEN_LARGE 0
#define WCM_SYS_IDS(name) SYS_##name
#define WCM_CASE_SHORT_IDS(name)
#define WCM_SYS_FTRUNCATE SYS_ftruncate
#define WCM_SYS_FCNTL SYS_fcntl
#define WCM_SYS_SIGTIMEDWAIT SYS_rt_sigtimedwait
#define WCM_WIDE(value) (value)

static inline long wcm__wide_mmap(void *at, size_t size, int protection, int flags, int fd,
				  uint64_t offset)
{
	return WCM_SYSCALL(SYS_mmap, at, size, protection, flags, fd, offset);
}

static inline int64_t wcm__wide_seek(int fd, int64_t offset, int whence)
{
	return WCM_SYSCALL(SYS_lseek, fd, offset, whence);
}

/* The older call takes half the time, and not every CPU has it. */
static inline int wcm__wide_limit(int resource, struct rlimit *now)
{
#ifdef SYS_getrlimit
	return (int)WCM_SYSCALL(SYS_getrlimit, resource, now);
#else
	return (int)WCM_SYSCALL(SYS_prlimit64, 0, resource, 0, now);
#endif
}

static inline int wcm__wide_stat(int fd, const char *name, struct stat *status, int flags)
{
	if (!name)
		return (int)WCM_SYSCALL(SYS_fstat, fd, status);
	return (int)WCM_SYSCALL(SYS_newfstatat, fd, name, status, flags);
}

#else

#define WCM_OPEN_LARGE O_LARGEFILE /* or files of 2 GiB and more are refused */
#define WCM_SYS_IDS(name) SYS_##name##32
#define WCM_CASE_SHORT_IDS(name) case SYS_##name: /* with ids of 16 bits */
#define WCM_SYS_FTRUNCATE SYS_ftruncate64
#define WCM_SYS_FCNTL SYS_fcntl64
#ifdef SYS_rt_sigtimedwait_time64
#define WCM_SYS_SIGTIMEDWAIT SYS_rt_sigtimedwait_time64
#else
#define WCM_SYS_SIGTIMEDWAIT SYS_rt_sigtimedwait
#endif
#define WCM_WIDE(value) (uint32_t)(value), (uint32_t)((uint64_t)(value) >> 32)

static inline long wcm__wide_mmap(void *at, size_t size, int protection, int flags, int fd,
				  uint64_t offset)
{
	enum { UNIT = 4096 }; /* whatever a page is */

	return WCM_SYSCALL(SYS_mmap2, at, size, protection, flags, fd, offset / UNIT);
}

static inline int64_t wcm__wide_seek(int fd, int64_t offset, int whence)
{
	int64_t now = 0;
	const long error = WCM_SYSCALL(SYS__llseek, fd, (uint64_t)offset >> 32,
				       (uint32_t)offset, &now, whence);

	return error < 0 ? error : now;
}

static inline int wcm__wide_limit(int resource, struct rlimit *now)
{
	return (int)WCM_SYSCALL(SYS_prlimit64, 0, resource, 0, now);
}

/* A device's number, as libc has it. */
static inline dev_t wcm__wide_device(uint64_t major, uint64_t minor)
{
	return (dev_t)((minor & 0xff) | (major & 0xfff) << 8 | (minor & ~UINT64_C(0xff)) << 12 |
		       (major & ~UINT64_C(0xfff)) << 32);
}

/* The kernel has several forms of it, and libc others. */
static inline int wcm__wide_stat(int fd, const char *name, struct stat *status, int flags)
{
	struct wcm_file_status now;
	const long error = wcm__file_status_of(fd, name ? name : "",
					       flags | (name ? 0 : WCM_EMPTY_PATH), &now);

	*status = (struct stat){
		.st_dev = wcm__wide_device(now.device_major, now.device_minor),
		.st_rdev = wcm__wide_device(now.of_device_major, now.of_device_minor),
		.st_ino = (ino_t)now.inode,
		.st_mode = now.mode,
		.st_nlink = now.links,
		.st_uid = now.owner,
		.st_gid = now.group,
		.st_size = (off_t)now.size,
		.st_blocks = (blkcnt_t)now.blocks,
		.st_mtim = { .tv_sec = (time_t)now.modified, .tv_nsec = (long)now.modified_ns },
	};
	return (int)error;
}

#endif

/* Which kind of file system FD is of (linux/magic.h), or a negated errno: the first word of
 * what the kernel tells in any of its forms.  *BLOCKS is how many it has; zero is what the
 * kernel's own have, as proc(5). */
static inline long wcm__wide_system(int fd, uint64_t *blocks)
{
	unsigned long told[32] = { 0 };
#if UINTPTR_MAX > UINT32_MAX
	const long error = WCM_SYSCALL(SYS_fstatfs, fd, told);

	*blocks = told[2];
#else
	enum { SIZE = 84 };
	const long error = WCM_SYSCALL(SYS_fstatfs64, fd, SIZE, told);

	*blocks = told[2] | (uint64_t)told[3] << 32;
#endif
	return error < 0 ? error : (long)told[0];
}

#endif
