/* SPDX-License-Identifier: MIT */
/* unload.c - every unloading is told.
 *
 * dlclose(3) is interposed, in the shared libraries only.  It is told only where the
 * program's own calls come here: a library in front of this one may have taken its
 * place.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "unwind/epoch.h"
#include "whocallme/base.h"

static int (*real)(void *handle);

static int64_t now(void)
{
	struct timespec time = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Who holds reads some tables and lets go. */
static bool wait_until_free(void)
{
	enum { PATIENCE = 100 }; /* milliseconds */
	int64_t since;

	if (!wcm__is_held())
		return true;
	for (since = now(); wcm__is_held(); sched_yield())
		if (now() - since > PATIENCE)
			return false;
	return true;
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
	wcm__unloading_end();
	return result;
}

__attribute__((constructor)) static void say_that_it_is_told(void)
{
	find_real();
	if (real && dlsym(RTLD_DEFAULT, "dlclose") == (void *)dlclose &&
	    pthread_atfork(NULL, NULL, wcm__unloading_forked) == 0)
		__atomic_store_n(&wcm__unloading_is_told, true, __ATOMIC_RELEASE);
}

#endif
