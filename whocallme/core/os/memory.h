/* SPDX-License-Identifier: MIT */
/* memory.h (SAFE) - maps memory, in whole pages, and changes it. */
#ifndef WCM_OS_MEMORY_H
#define WCM_OS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "core/os/wide.h"

/* The address, or what wcm__is_error() says is one. */
static inline long wcm__mmap(void *at, size_t size, int protection, int flags, int fd,
			     uint64_t offset)
{
	return wcm__wide_mmap(at, size, protection, flags, fd, offset);
}

/* Zeroed memory of the process's own, or NULL. */
static inline void *wcm__map_with(size_t size, int flags)
{
	const long mapped = wcm__mmap(NULL, size, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return wcm__is_error(mapped) ? NULL : (void *)mapped;
}

static inline void *wcm__map(size_t size)
{
	return wcm__map_with(size, 0);
}

/* The same of more than is ever used, most likely. */
static inline void *wcm__map_sparse(size_t size)
{
	return wcm__map_with(size, MAP_NORESERVE);
}

/* Write the SIZE bytes to ADDRESS, which may lead nowhere.  False unless all of them are. */
static inline bool wcm__write_memory(uintptr_t address, const void *bytes, size_t size)
{
	const struct iovec local = { (void *)bytes, size }, remote = { (void *)address, size };

	return WCM_SYSCALL(SYS_process_vm_writev, WCM_SYSCALL(SYS_getpid), &local, 1, &remote, 1,
			   0) == (long)size;
}

static inline int wcm__unmap(const void *memory, size_t size)
{
	return (int)WCM_SYSCALL(SYS_munmap, memory, size);
}

static inline int wcm__mprotect(void *memory, size_t size, int protection)
{
	return (int)WCM_SYSCALL(SYS_mprotect, memory, size, protection);
}

static inline int wcm__pkey_mprotect(void *memory, size_t size, int protection, int key)
{
	return (int)WCM_SYSCALL(SYS_pkey_mprotect, memory, size, protection, key);
}

/* As wcm__mmap(). */
static inline long wcm__mremap(void *memory, size_t size, size_t new_size, int flags,
			       void *at)
{
	return WCM_SYSCALL(SYS_mremap, memory, size, new_size, flags, at);
}

static inline int wcm__madvise(void *memory, size_t size, int advice)
{
	return (int)WCM_SYSCALL(SYS_madvise, memory, size, advice);
}

/* Have a child of fork(2) find zeros there, and one of vfork(2) not; false: Linux before
 * 4.14 cannot. */
static inline bool wcm__wipe_on_fork(void *memory, size_t size)
{
	return wcm__madvise(memory, size, MADV_WIPEONFORK) == 0;
}

#endif
