/* SPDX-License-Identifier: MIT */
/* remap.c - announces that memory is taken away, and notes where a program makes code in its own
 * data, by interposing munmap() and mprotect().
 *
 * They are interposed in the shared libraries only; each call is announced before and
 * after.  That is relied on only where the program's own calls come here: a library in
 * front of this one, a sanitizer's for one, may have taken their place.  What libc
 * unmaps for itself is no stack that is in use.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>

#include "core/modules/place.h"
#include "core/os/auxv.h"
#include "core/os/memory.h"
#include "core/unwind/stack_span.h"
#include "crash/threads/tasks.h"
#include "whocallme/base.h"

/* Not every libc has it. */
int pkey_mprotect(void *at, size_t size, int protection, int key);

#define CHANGE UINT64_C(1)
#define CHANGED (UINT64_C(1) << WCM_REMAPPINGS_AT)

static struct {
	int (*munmap)(void *at, size_t size);
	int (*mprotect)(void *at, size_t size, int protection);
	int (*pkey_mprotect)(void *at, size_t size, int protection, int key);
	void *(*mremap)(void *at, size_t size, size_t new_size, int flags, ...);
} real;

/* This thread's: a signal's handler may come in between, and call fork(2). */
static __thread unsigned own_changes __attribute__((tls_model("initial-exec")));

static void begin(void)
{
	own_changes++;
	__atomic_add_fetch(&wcm__remappings, CHANGE, __ATOMIC_SEQ_CST);
}

static void end(void)
{
	__atomic_add_fetch(&wcm__remappings, CHANGED - CHANGE, __ATOMIC_SEQ_CST);
	own_changes--;
}

/* Before the real functions are found, the system's own: RESULT as libc has it. */
static long as_libc(long result)
{
	if (wcm__is_error(result)) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

WCM_API int munmap(void *at, size_t size)
{
	int result;

	begin();
	result = real.munmap ? real.munmap(at, size)
			     : (int)as_libc(wcm__unmap(at, size));
	end();
	return result;
}

/* To look for a module takes a system call that the program's filter may kill it for. */
static void note_code(void *at, size_t size, int protection)
{
	const uintptr_t page = wcm__auxv(AT_PAGESZ);

	if ((protection & PROT_EXEC) && !wcm__task_has_asked_for_filter())
		wcm__place_made_code((uintptr_t)at, (size + page - 1) & ~(page - 1));
}

WCM_API int mprotect(void *at, size_t size, int protection)
{
	int result;

	begin();
	result = real.mprotect ? real.mprotect(at, size, protection)
			       : (int)as_libc(wcm__mprotect(at, size, protection));
	end();
	if (result == 0)
		note_code(at, size, protection);
	return result;
}

WCM_API int pkey_mprotect(void *at, size_t size, int protection, int key)
{
	int result;

	begin();
	result = real.pkey_mprotect ? real.pkey_mprotect(at, size, protection, key)
				    : (int)as_libc(wcm__pkey_mprotect(at, size, protection,
								      key));
	end();
	if (result == 0)
		note_code(at, size, protection);
	return result;
}

/* With MREMAP_FIXED, and MREMAP_DONTUNMAP, there is a new address. */
WCM_API void *mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
	void *new_at = NULL, *result;
	va_list more;

	if (flags & ~MREMAP_MAYMOVE) {
		va_start(more, flags);
		new_at = va_arg(more, void *);
		va_end(more);
	}
	begin();
	result = real.mremap ? real.mremap(at, size, new_size, flags, new_at)
			     : (void *)as_libc(wcm__mremap(at, size, new_size, flags, new_at));
	end();
	return result;
}

/* In a child only one thread has gone on. */
static void forked(void)
{
	const uint64_t whole = __atomic_load_n(&wcm__remappings, __ATOMIC_RELAXED) &
			       ~(CHANGED - 1);

	__atomic_store_n(&wcm__remappings, whole + own_changes * CHANGE, __ATOMIC_SEQ_CST);
}

static bool is_ours(const char *name, void *ours)
{
	return dlsym(RTLD_DEFAULT, name) == ours;
}

/* Those here: the public names may lead to a library that comes first. */
#define OWN(name) \
	extern __typeof__(name) own_##name \
		__attribute__((alias(#name), visibility("hidden"), nothrow, leaf))

OWN(munmap);
OWN(mprotect);
OWN(pkey_mprotect);
OWN(mremap);

__attribute__((constructor)) static void say_that_it_is_told(void)
{
	/* ISO C has no cast from an object's to a function's address. */
	*(void **)&real.munmap = dlsym(RTLD_NEXT, "munmap");
	*(void **)&real.mprotect = dlsym(RTLD_NEXT, "mprotect");
	*(void **)&real.pkey_mprotect = dlsym(RTLD_NEXT, "pkey_mprotect");
	*(void **)&real.mremap = dlsym(RTLD_NEXT, "mremap");
	if (is_ours("munmap", (void *)own_munmap) && is_ours("mprotect", (void *)own_mprotect) &&
	    is_ours("pkey_mprotect", (void *)own_pkey_mprotect) &&
	    is_ours("mremap", (void *)own_mremap) && pthread_atfork(NULL, NULL, forked) == 0)
		__atomic_store_n(&wcm__remapping_is_told, true, __ATOMIC_RELEASE);
}

#endif
