/* SPDX-License-Identifier: MIT */
/* memory.h - gets memory from the kernel, in whole pages that are zero. */
#ifndef WCM_OS_MEMORY_H
#define WCM_OS_MEMORY_H

#include <stddef.h>
#include <sys/mman.h>

#include "syscall.h"

static inline void *wcm__map_with(size_t size, int flags)
{
	enum { ERRORS = 4096 };
	const long mapped = wcm__syscall(SYS_mmap, 0, (long)size,
					 PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return mapped < 0 && mapped > -ERRORS ? NULL : (void *)mapped;
}

/* NULL: there is none. */
static inline void *wcm__map(size_t size)
{
	return wcm__map_with(size, 0);
}

/* The same of more than is ever used, most likely. */
static inline void *wcm__map_sparse(size_t size)
{
	return wcm__map_with(size, MAP_NORESERVE);
}

static inline void wcm__unmap(void *memory, size_t size)
{
	wcm__syscall(SYS_munmap, (long)memory, (long)size, 0, 0, 0, 0);
}

#endif
