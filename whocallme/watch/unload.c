/* SPDX-License-Identifier: MIT */
/* unload.c - announces that a module is unloaded, by interposing dlclose().
 *
 * dlclose(3) is interposed in the shared libraries only.  What it announces is relied
 * on only where the program's own calls come here: a library in front of this one may
 * have taken its place.  It waits a moment for threads that read tables, and leaves
 * the module loaded if they do not end. libc calls its own dlclose() for converters of
 * characters; those are known by their directory, unless the environment names another.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "core/modules/epoch.h"
#include "core/unwind/rule_cache.h"
#include "whocallme/base.h"

static int (*real)(void *handle);

static int64_t now(void)
{
	struct timespec time = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Who holds reads some tables and lets go.  Time passes for a process that is stopped,
 * too: it must have had its turns. */
static bool wait_until_free(void)
{
	enum { TURNS = 1000, PATIENCE = 100 /* milliseconds */ };
	int64_t since;
	int turns = 0;

	if (!wcm__is_held())
		return true;
	for (since = now(); wcm__is_held(); sched_yield())
		if (++turns > TURNS && now() - since > PATIENCE)
			return false;
	return true;
}

static int take_count(struct dl_phdr_info *info, size_t size, void *count)
{
	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*(unsigned long long *)count = info->dlpi_subs;
	return 1;
}

/* Whether anything was unloaded since this was asked last, whoever did it: the dynamic
 * linker counts. */
static bool has_unloaded(void)
{
	static unsigned long long known = ~0ull;
	unsigned long long count = known - 1; /* another one, where it does not say */

	dl_iterate_phdr(take_count, &count);
	return __atomic_exchange_n(&known, count, __ATOMIC_SEQ_CST) != count;
}

static void find_real(void)
{
	/* ISO C has no cast from an object's to a function's address. */
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "dlclose");
}

WCM_API int dlclose(void *handle)
{
	int result;

	find_real();
	if (!real)
		return -1;
	wcm__unloading_begin();
	if (!wait_until_free()) {
		wcm__unloading_call_off();
		return 0; /* it stays, as POSIX allows */
	}
	result = real(handle);
	wcm__unloading_end(has_unloaded(), wcm__rule_cache_forget_epochs);
	return result;
}

/* The one here: its public name may lead to a library that comes first. */
extern __typeof__(dlclose) own_dlclose
	__attribute__((alias("dlclose"), visibility("hidden"), nothrow));

static bool has_gconv_path(void)
{
	const char *path = getenv("GCONV_PATH");

	return path && *path;
}

__attribute__((constructor)) static void say_that_it_is_told(void)
{
	find_real();
	if (real && dlsym(RTLD_DEFAULT, "dlclose") == (void *)own_dlclose &&
	    !has_gconv_path() &&
	    pthread_atfork(NULL, NULL, wcm__unloading_forked) == 0)
		__atomic_store_n(&wcm__unloading_is_told, true, __ATOMIC_RELEASE);
}

#endif
