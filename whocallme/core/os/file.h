/* SPDX-License-Identifier: MIT */
/* file.h (SAFE) - files and descriptors.  See kernel.h for where it may be called. */
#ifndef WCM_OS_FILE_H
#define WCM_OS_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "core/os/missing.h"
#include "core/os/wide.h"

static inline int wcm__openat(int folder, const char *name, int flags, unsigned mode)
{
	return (int)WCM_SYSCALL(SYS_openat, folder, name, flags | WCM_OPEN_LARGE, mode);
}

/* The same, again and again while a signal comes between: an open may wait. */
static inline int wcm__openat_again(int folder, const char *name, int flags, unsigned mode)
{
	int fd;

	do
		fd = wcm__openat(folder, name, flags, mode);
	while (fd == -EINTR);
	return fd;
}

static inline int wcm__open(const char *path, int flags)
{
	return wcm__openat(AT_FDCWD, path, flags, 0);
}

static inline int wcm__close(int fd)
{
	return (int)WCM_SYSCALL(SYS_close, fd);
}

static inline int wcm__close_range(unsigned first, unsigned last)
{
	return (int)WCM_SYSCALL(SYS_close_range, first, last);
}

/* Close all, in a table of descriptors that is the calling thread's alone from now on. */
static inline int wcm__close_all_apart(void)
{
	enum { UNSHARE = 2 /* CLOSE_RANGE_UNSHARE */ };

	return (int)WCM_SYSCALL(SYS_close_range, 0, ~0u, UNSHARE);
}

static inline long wcm__read(int fd, void *to, size_t size)
{
	return WCM_SYSCALL(SYS_read, fd, to, size);
}

static inline long wcm__pread(int fd, void *to, size_t size, uint64_t at)
{
	return WCM_SYSCALL(SYS_pread64, fd, to, size, WCM_WIDE(at));
}

static inline long wcm__write(int fd, const void *from, size_t size)
{
	return WCM_SYSCALL(SYS_write, fd, from, size);
}

static inline long wcm__pwrite(int fd, const void *from, size_t size, uint64_t at)
{
	return WCM_SYSCALL(SYS_pwrite64, fd, from, size, WCM_WIDE(at));
}

static inline long wcm__writev(int fd, const struct iovec *parts, int count)
{
	return WCM_SYSCALL(SYS_writev, fd, parts, count);
}

static inline int64_t wcm__lseek(int fd, int64_t offset, int whence)
{
	return wcm__wide_seek(fd, offset, whence);
}

static inline int wcm__ftruncate(int fd, uint64_t size)
{
	return (int)WCM_SYSCALL(WCM_SYS_FTRUNCATE, fd, WCM_WIDE(size));
}

static inline int wcm__fstat(int fd, struct stat *status)
{
	return wcm__wide_stat(fd, NULL, status, 0);
}

static inline int wcm__fstatat(int folder, const char *name, struct stat *status, int flags)
{
	return wcm__wide_stat(folder, name, status, flags);
}

/* Which kind of file system FD is of (linux/magic.h), or a negated errno. */
static inline long wcm__file_system(int fd)
{
	uint64_t blocks;

	return wcm__wide_system(fd, &blocks);
}

/* Whether FD, which STATUS is of, is what the kernel makes as it is read: it takes no room,
 * and its file system has none.  False where the kernel does not say, and of a file system that a
 * program serves (FUSE): many of those leave both out. */
static inline bool wcm__file_is_kernels(int fd, const struct stat *status)
{
	enum { FUSE = 0x65735546 };
	uint64_t blocks;
	long system;

	if (status->st_blocks != 0)
		return false;
	system = wcm__wide_system(fd, &blocks);
	return system >= 0 && system != FUSE && blocks == 0;
}

/* There is no zero byte behind what is read. */
static inline long wcm__readlinkat(int folder, const char *name, char *to, size_t size)
{
	return WCM_SYSCALL(SYS_readlinkat, folder, name, to, size);
}

/* As getdents64(2) has it. */
struct wcm_directory_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

static inline long wcm__getdents(int fd, void *to, size_t size)
{
	return WCM_SYSCALL(SYS_getdents64, fd, to, size);
}

/* The length, with the zero byte. */
static inline long wcm__getcwd(char *to, size_t size)
{
	return WCM_SYSCALL(SYS_getcwd, to, size);
}

static inline int wcm__unlinkat(int folder, const char *name, int flags)
{
	return (int)WCM_SYSCALL(SYS_unlinkat, folder, name, flags);
}

/* Of a name in FOLDER to another one there. */
static inline int wcm__rename_in(int folder, const char *from, const char *to)
{
	return (int)WCM_SYSCALL(SYS_renameat, folder, from, folder, to, 0);
}

/* The same where there is nothing of that name; -EINVAL or -ENOSYS: it cannot be told. */
static inline int wcm__rename_new_in(int folder, const char *from, const char *to)
{
	enum { NO_REPLACE = 1 /* RENAME_NOREPLACE */ };

	return (int)WCM_SYSCALL(SYS_renameat2, folder, from, folder, to, NO_REPLACE);
}

static inline int wcm__fcntl(int fd, int command, long argument)
{
	return (int)WCM_SYSCALL(WCM_SYS_FCNTL, fd, command, argument);
}

static inline int wcm__dup3(int fd, int as, int flags)
{
	return (int)WCM_SYSCALL(SYS_dup3, fd, as, flags);
}

static inline int wcm__flock(int fd, int operation)
{
	return (int)WCM_SYSCALL(SYS_flock, fd, operation);
}

static inline int wcm__ioctl(int fd, unsigned long request, void *argument)
{
	return (int)WCM_SYSCALL(SYS_ioctl, fd, request, argument);
}

static inline int wcm__memfd_create(const char *name, unsigned flags)
{
	return (int)WCM_SYSCALL(SYS_memfd_create, name, flags);
}

#endif
