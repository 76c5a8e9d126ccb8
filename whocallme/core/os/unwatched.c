/* SPDX-License-Identifier: MIT */
/* unwatched.c (SAFE) - hides the library's own work from the program's sanitizers.
 *
 * A sanitizer's functions are weak references: a program without one has none of them,
 * and begin and end do nothing.
 */
#include "core/os/unwatched.h"

/* Of clang's sanitizer of memory. */
extern void __msan_scoped_disable_interceptor_checks(void) __attribute__((weak));
extern void __msan_scoped_enable_interceptor_checks(void) __attribute__((weak));

/* Of gcc's and clang's sanitizer of threads, and of others with the same interface. */
extern void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));

static bool watches_memory(void)
{
	return __msan_scoped_disable_interceptor_checks &&
	       __msan_scoped_enable_interceptor_checks;
}

static bool watches_threads(void)
{
	return AnnotateIgnoreReadsBegin && AnnotateIgnoreReadsEnd &&
	       AnnotateIgnoreWritesBegin && AnnotateIgnoreWritesEnd;
}

static bool (*is_in_crash)(void);

void wcm__unwatched_ask(bool (*in_crash)(void))
{
	__atomic_store_n(&is_in_crash, in_crash, __ATOMIC_RELAXED);
}

/* The sanitizer of threads takes a lock of its own, which a crash may have left locked. */
static bool may_tell_of_threads(void)
{
	bool (*const in_crash)(void) = __atomic_load_n(&is_in_crash, __ATOMIC_RELAXED);

	return watches_threads() && !(in_crash && in_crash());
}

void wcm__unwatched_begin(void)
{
	if (watches_memory())
		__msan_scoped_disable_interceptor_checks();
	if (!may_tell_of_threads())
		return;
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

void wcm__unwatched_end(void)
{
	if (watches_memory())
		__msan_scoped_enable_interceptor_checks();
	if (!may_tell_of_threads())
		return;
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

bool wcm__unwatched_is_needed(void)
{
	return watches_memory() || watches_threads();
}
