/* SPDX-License-Identifier: MIT */
/* abort_malloc.c - preloaded: whoever allocates once malloc_forbidden is raised
 * ends the process.
 *
 * By SIGKILL, since SIGABRT is what the handler under test would take. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

int malloc_forbidden;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
	*__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t),
	*__libc_valloc(size_t), *__libc_pvalloc(size_t);
extern void __libc_free(void *);

static void check(void)
{
	static const char text[] = "allocated after the crash\n";

	if (!malloc_forbidden)
		return;
	if (write(2, text, sizeof(text) - 1) < 0)
		_exit(98);
	kill(getpid(), SIGKILL);
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

void *memalign(size_t alignment, size_t size)
{
	check();
	return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	check();
	return __libc_memalign(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
	check();
	*to = __libc_memalign(alignment, size);
	return *to ? 0 : ENOMEM;
}

void *valloc(size_t size)
{
	check();
	return __libc_valloc(size);
}

void *pvalloc(size_t size)
{
	check();
	return __libc_pvalloc(size);
}
