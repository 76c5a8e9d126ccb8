/* SPDX-License-Identifier: MIT */
/* no_malloc.c - preloaded: ends the process if anything allocates once a
 * crash has been seen to come: raise no_malloc_armed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

int no_malloc_armed;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
	*__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static void check(void)
{
	static const char text[] = "allocated after the crash\n";

	if (no_malloc_armed) {
		if (write(2, text, sizeof(text) - 1) < 0)
			_exit(98);
		_exit(99);
	}
}

void *malloc(size_t size)
{
	check();
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	check();
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	check();
	return __libc_realloc(old, size);
}

void free(void *old)
{
	check();
	__libc_free(old);
}
